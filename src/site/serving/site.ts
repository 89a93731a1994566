import { Elysia } from "elysia";
import { folderThemes } from "../../blogs/folder-themes";
import { MINUTE, SECOND } from "../../config/units";
import { isAnyActorOn } from "../../fediverse/blog-actors";
import { type Call, calls } from "../../http/requests/call";
import { isFromThisMachine } from "../../http/requests/client-address";
import { throttleClient } from "../../http/requests/rate-limits";
import { responseCache } from "../../http/response-cache";
import { toRefusal } from "../../http/responses/error-responses";
import {
  CACHE_CONTROL,
  CDN_CACHE_HEADERS,
  type HttpResponse,
  publicPageResponse,
  sendResponse,
  textResponse,
  withHeaders,
} from "../../http/responses/response";
import { signedIn } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { fediverseResponse } from "../fediverse-routes";
import { komments } from "../komments/komment-routes";
import { webmentions } from "../komments/webmention-routes";
import { notAllowedPage, refusalResponse } from "../layout/error-pages";
import { newsletterResponse } from "../pages/newsletter-page";
import { blogWithLanguageHome, redirectToLanguage, withoutSharedCaches } from "./language-redirects";
import type { PageResponse } from "./page-requests-and-responses";
import { ownPostResponse, pageRequestOf, pageResponse, plainAddress } from "./page-requests-and-responses";
import { previews } from "./preview-routes";
import { mayBeReplaced, ownFileResponse } from "./public-folder";
import { stylesheets } from "./stylesheet-and-font-routes";

export const site = (platen: Platen) =>
  new Elysia({ name: "site" })
    .use(calls(platen))
    // Registered before `onError`, because previews show their errors in a frame.
    .use(previews(platen))
    .onError(({ call, code, error, route }) =>
      sendResponse(call, refusalResponse(toRefusal(call, code, error, route))),
    )
    .use(komments(platen))
    .use(webmentions(platen))
    .use(stylesheets(platen))
    // Elysia would read a body of any length before responding 405.
    .all("/*", async ({ call }) => sendResponse(call, await respond(call)), { parse: "none" });

/** Lifetime of cached responses that depend on the owner's files or on themes in the data folder. */
const OWN_FILE_DELAY_MS = 10 * SECOND;

/** Per client, because searches share a queue, which one client could fill. */
const SEARCH_LIMIT = { most: 60, within: MINUTE };

async function respond(call: Call): Promise<HttpResponse> {
  const newsletter = newsletterResponse(call);
  if (newsletter) return newsletter;
  const { method } = call.request;
  const federated = await federatedResponse(call);
  if (federated) return federated;
  if (method !== "GET" && method !== "HEAD")
    return publicPageResponse(notAllowedPage(), 405, { allow: "GET, HEAD" });
  const { platen } = call;
  const pageRequest = pageRequestOf(call);
  const isReplaceable = mayBeReplaced(pageRequest.path);
  const replacement = isReplaceable ? await ownFileResponse(call, pageRequest) : null;
  if (replacement) return replacement;
  const blog = blogWithLanguageHome(platen, pageRequest);
  const languageRedirect = blog && redirectToLanguage(call, blog, pageRequest.host);
  if (languageRedirect) return languageRedirect;
  const make = async () => {
    if (pageRequest.query.has("q") && !isFromThisMachine(call)) throttleClient(call, SEARCH_LIMIT);
    const page = await pageResponse(platen, pageRequest);
    return blog ? withoutSharedCaches(page) : withCdnCaching(platen, page);
  };
  // The suffix hides the page from `serveFromCache`, which does not check the reader's language.
  const key = plainAddress(platen, pageRequest) + (blog ? " in all languages" : "");
  const dependsOnFiles = isReplaceable || folderThemes(platen).themes.size > 0;
  const until = dependsOnFiles ? platen.now().getTime() + OWN_FILE_DELAY_MS : undefined;
  const page = await responseCache(platen).getOrMake(key, make, until);
  if (page.status !== 404 && page.status !== 410) return page;
  const account = signedIn(call);
  const post = account && ownPostResponse(platen, account, pageRequest);
  return post ?? (await ownFileResponse(call, pageRequest)) ?? page;
}

const FEDIVERSE_PATH = /\/\.well-known\/(?:reach\/|webfinger$|nodeinfo$)|^\/nodeinfo\/2\.1$/;

async function federatedResponse(call: Call): Promise<HttpResponse | null> {
  if (!FEDIVERSE_PATH.test(call.url.pathname)) return null;
  const response = isAnyActorOn(call.platen) ? await fediverseResponse(call) : null;
  if (response) return response;
  return call.request.method === "POST" ? textResponse(404, "There is nothing at this address.") : null;
}

/** If a purge URL is set, shared caches may store pages that browsers must revalidate. */
function withCdnCaching({ config }: Platen, page: PageResponse): PageResponse {
  const isForAll = page.status === 200 && page.headers.get("cache-control") === CACHE_CONTROL.publicNoCache;
  return config.purge && isForAll ? withHeaders(page, CDN_CACHE_HEADERS) : page;
}
