import { hasAccounts } from "../../accounts/accounts";
import { blogAtAddress } from "../../blogs/finding-blogs";
import { blogUrl, homeBlog } from "../../blogs/permalinks";
import { privatePageResponse } from "../../http/responses/html-responses";
import type { Platen } from "../../platen";
import { homePost } from "../../posts/linked/link-targets";
import { postOfRow } from "../../posts/storage/stored-posts";
import { documentAnswer } from "../documents/document";
import { cardAt } from "../images/title-card";
import { notSetUpPage } from "../pages/not-set-up-page";
import type { PageRequest } from "./page-request";
import { livePostAnswer, type PageAnswer, postAnswer, shareAnswer, shown } from "./post-answers";
import { addressOfFormerTopic, addressOfNumber, blogAddressInstead, movedTo } from "./redirects";
import { documentAt, pageAt } from "./site-routes";

/** The page, document, post, redirect or 404 at this address. */
export async function pageAnswer(platen: Platen, request: PageRequest): Promise<PageAnswer> {
  const { host, path, query, search } = request;
  if (path === "/" && !homeBlog(platen) && !hasAccounts(platen))
    return privatePageResponse(notSetUpPage(platen));
  const [, shareId] = /^\/share\/([\w-]+)$/.exec(path) ?? [];
  if (shareId) return shareAnswer(platen, shareId, request);
  const [, postId, look] = /^\/assets\/card\/(\d{1,15})\.([0-9a-f]+)\.png$/.exec(path) ?? [];
  if (postId && look) return cardAnswer(platen, Number(postId), look);

  const place = blogAtAddress(platen, host, path);
  if (!place) return shown(platen, null);
  const { blog, path: below } = place;
  const instead = blogAddressInstead(platen, blog, {
    host,
    prefix: path.slice(0, path.length - below.length),
    below,
  });
  if (instead) return movedTo(instead + search);

  const numbered = addressOfNumber(platen, blog, below, query);
  if (numbered) return movedTo(numbered);
  const home = below === "/" && !query.has("page") ? homePost(platen, blog) : undefined;
  if (home) return livePostAnswer(platen, postOfRow(platen, home, blog), request);
  const page = pageAt(below);
  const asked = { platen, blog, query };
  const made = await page?.(asked);
  if (made) return shown(platen, made, blog);
  const document = await documentAt(below)?.(asked);
  if (document) return documentAnswer(document);
  const former = addressOfFormerTopic(platen, blog, below);
  if (former) return movedTo(former + search);
  if (page) return shown(platen, null, blog);
  if (/[^/]\/$/.test(below) && pageAt(below.slice(0, -1)))
    return movedTo(blogUrl(platen, blog) + below.slice(1, -1) + search);
  return postAnswer(platen, blog, below, request);
}

async function cardAnswer(platen: Platen, postId: number, look: string): Promise<PageAnswer> {
  const body = await cardAt(platen, postId, look);
  if (!body) return shown(platen, null);
  return documentAnswer({ contentType: "image/png", body, isImmutable: true });
}
