import { blogAtAddress } from "../../blogs/blog-addresses";
import { type Blog, blogUrl } from "../../blogs/blogs";
import type { Call } from "../../http/requests/call";
import { acceptedLanguages, readReferer } from "../../http/requests/headers";
import { CACHE_CONTROL, type HttpResponse, redirect } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { homePost } from "../../posts/reading/navigation-and-home";
import { publicLanguages } from "../../posts/reading/public-posts";
import type { PageRequest, PageResponse } from "./page-requests-and-responses";

/** Shared caches must not store a page that depends on the reader's language, because many ignore Vary. */
const BY_LANGUAGE = { "cache-control": CACHE_CONTROL.privateNoCache, vary: "accept-language" };

export function blogWithLanguageHome(platen: Platen, { host, path, query }: PageRequest): Blog | null {
  if (query.size > 0 || !/^\/(?:@[^/]+\/)?$/.test(path)) return null;
  const { blog, path: below } = blogAtAddress(platen, host, path) ?? {};
  return blog?.design.languageHome && below === "/" && !homePost(platen, blog) ? blog : null;
}

/** null for readers from this site, and if the blog has one language or none that the reader accepts. */
export function redirectToLanguage({ platen, request }: Call, blog: Blog, host: string): HttpResponse | null {
  const accepted = acceptedLanguages(request);
  if (accepted.length === 0 || URL.parse(readReferer(request) ?? "")?.hostname === host) return null;
  const languages = publicLanguages(platen, blog);
  const language = accepted
    .flatMap((range) => [range, range.replace(/-.*/, "")])
    .find((each) => languages.includes(each));
  return language === undefined || languages.length < 2
    ? null
    : redirect(302, `${blogUrl(platen, blog)}?lang=${language}`, BY_LANGUAGE);
}

export function withoutSharedCaches(page: PageResponse): PageResponse {
  for (const [name, value] of Object.entries(BY_LANGUAGE)) page.headers.set(name, value);
  return page;
}
