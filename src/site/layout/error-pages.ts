import type { Blog } from "../../blogs/blogs";
import { blogUrl, homeBlog } from "../../blogs/permalinks";
import type { Refusal } from "../../errors";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { privatePageResponse } from "../../http/responses/html-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { bareLayout, blogLayout, blogPath } from "./layout";

/** In the layout of the blog, where it is known which one was meant. */
export function notFoundPage(platen: Platen, blog?: Blog): Html {
  const home = blog ?? homeBlog(platen);
  const back = blog ? blogPath(platen, blog) : home && blogUrl(platen, home);
  const main = html`<div class="fault">
<p class="number">404</p>
<h1>There is nothing at this address</h1>
<p>It may have been moved or taken down, or there is a slip in the address.</p>
${home && back ? html`<p><a href="${back}">To the newest posts of ${home.title}</a></p>` : null}
</div>`;
  if (!blog) return bareLayout({ title: "Not found", main });
  return blogLayout(platen, blog, { title: "Not found", isUnlisted: true, isInEnglish: true, main });
}

/** What was asked for was not done, and why. */
export function refusalAnswer(refusal: Refusal): HttpResponse {
  const page = refusal.kind === "failed" ? failedPage() : refusedPage(refusal.message);
  return privatePageResponse(page, ERROR_STATUS[refusal.kind], errorHeaders(refusal));
}

function refusedPage(sentence: string): Html {
  return bareLayout({ title: "Not done", main: html`<div class="fault"><h1>${sentence}</h1></div>` });
}

function failedPage(): Html {
  const main = html`<div class="fault"><p class="number">500</p>
<h1>Something went wrong here</h1>
<p>It is not your fault, and it has been written to the log. Try again in a moment.</p></div>`;
  return bareLayout({ title: "Something went wrong", main });
}

export function notAllowedPage(): Html {
  const main = html`<div class="fault"><p class="number">405</p><h1>This page can only be read</h1></div>`;
  return bareLayout({ title: "Not allowed", main });
}
