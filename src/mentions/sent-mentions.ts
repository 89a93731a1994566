import { and, isNotNull } from "drizzle-orm";
import { blogAtUrl } from "../blogs/blog-addresses";
import { blogById, postUrl } from "../blogs/blogs";
import { SECOND } from "../config/units";
import { deleteRows, findRows, hasValues, insertRow } from "../database/rows";
import { komments, sentMentions } from "../database/schema";
import type { Channel } from "../deliveries/channel";
import { deliverTo } from "../deliveries/events-and-debouncing";
import { fetchPage, postForm } from "../deliveries/outgoing-request";
import { firstBytes, type HttpResponse } from "../outgoing/http-client";
import type { Platen } from "../platen";
import { isLive, type PostRow } from "../posts/post/post";
import { contentOf, postRow } from "../posts/storage/stored-posts";
import { parseWebUrl } from "../text/web-urls";
import { JobLimitExceeded, workerQueues } from "../worker-queue";
import { type findEndpoint, MAX_PAGE_BYTES } from "./mention-and-endpoint-parsing";

const MAX_LINKS = 50;
const READ_TIMEOUT_MS = SECOND;
const LINK_PROPERTIES = ["in-reply-to", "like-of", "repost-of", "bookmark-of"];

export const webmentionChannel: Channel = {
  name: "webmention",
  maxOpen: 4,
  /** Removed links get a webmention too (W3C Webmention 3.1). */
  queue(platen, event) {
    const blog = blogById(platen, event.blogId);
    const post = postRow(platen, event.postId);
    if (!blog || !post) return;
    const source = postUrl(platen, blog, post);
    const links = isLive(post, platen.now()) ? outgoingLinks(platen, post, source) : [];
    const before = findRows(platen, sentMentions, { postId: post.id });
    for (const target of new Set([...before.map(({ target }) => target), ...links]))
      deliverTo(platen, event, new URL(target).origin, [`${source} ${target}`]);
    deleteRows(platen, sentMentions, { postId: post.id });
    for (const target of links) insertRow(platen, sentMentions, { postId: post.id, target });
  },
  async send(platen, { target: link, receiver }, tools) {
    const [source = "", target = ""] = link.split(" ");
    const request = { url: target, headers: { accept: "text/html, */*;q=0.1" } };
    const page = await fetchPage(platen, tools, receiver.blogId, request);
    if (page === null || !("statusCode" in page)) return page;
    const url = await endpointOf(page);
    if (url === null) return { status: 200, answer: "This page has no Webmention endpoint." };
    return await postForm(platen, tools, receiver.blogId, url, { source, target });
  },
};

async function endpointOf(page: HttpResponse): Promise<string | null> {
  const { headers, url } = page;
  const header = headers.link === undefined ? null : [headers.link].flat().join(", ");
  const html = new TextDecoder().decode(await firstBytes(page, MAX_PAGE_BYTES));
  const cost = { within: READ_TIMEOUT_MS, characters: html.length, source: new URL(url).host };
  return await workerQueues.remote
    .run<typeof findEndpoint>("findEndpoint", cost, header, html, url)
    .catch((error) => {
      if (error instanceof JobLimitExceeded) return null;
      throw error;
    });
}

/** Includes links in the owner's replies. Leaves out URLs on this server. */
function outgoingLinks(platen: Platen, post: PostRow, source: string): string[] {
  const links = new Set<string>();
  const add = (address: unknown) => {
    const url = typeof address === "string" ? parseWebUrl(address, { base: source }) : null;
    if (url && !blogAtUrl(platen, url)) links.add(url.href);
  };
  for (const name of LINK_PROPERTIES) for (const value of post.properties[name] ?? []) add(value);
  // Loaded on first use, for a fast start.
  const { Parser } = require("htmlparser2") as typeof import("htmlparser2");
  const parser = new Parser({ onopentag: (name, { href }) => void (name === "a" && add(href)) });
  parser.write(contentOf(platen, post.id).html);
  const isAnswered = and(
    hasValues(komments, { postId: post.id, status: "shown" }),
    isNotNull(komments.answer),
  );
  const answered = findRows(platen, komments, isAnswered, { limit: MAX_LINKS });
  for (const { answerHtml, originUrl } of answered) {
    parser.write(answerHtml ?? "");
    if (originUrl !== "") add(originUrl);
  }
  parser.end();
  return [...links].slice(0, MAX_LINKS);
}
