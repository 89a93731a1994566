import type { Blog } from "../../blogs/blogs";
import { blogUrl, homeBlog } from "../../blogs/permalinks";
import type { Refusal } from "../../errors";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { privatePageResponse } from "../../http/responses/html-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { word } from "../../text/words/words";
import { bareLayout, blogLayout, blogPath } from "./layout";
import { searchForm } from "./search-form";

export function notFoundPage(platen: Platen, blog?: Blog, status: 404 | 410 = 404): Html {
  const home = blog ?? homeBlog(platen);
  const reader = blog ?? { language: "en" };
  const back = blog ? blogPath(platen, blog) : home && blogUrl(platen, home);
  const main = html`<div class="fault">
<p class="number">${status}</p>
<h1>${word(reader, "pageNotFound")}</h1>
<p>${word(reader, "mayBeMoved")}</p>
${home && back ? html`<p><a href="${back}">${word(reader, "goTo", { title: home.title })}</a></p>` : null}
${blog && searchForm(blog, blogPath(platen, blog))}
</div>`;
  if (!blog) return bareLayout({ title: "Not found", main });
  return blogLayout(platen, blog, {
    title: word(blog, "notFound"),
    isUnlisted: true,
    isInEnglish: true,
    main,
  });
}

export function refusalResponse(refusal: Refusal): HttpResponse {
  const page = refusal.kind === "failed" ? failedPage() : refusedPage(refusal.message);
  return privatePageResponse(page, ERROR_STATUS[refusal.kind], errorHeaders(refusal));
}

function refusedPage(sentence: string): Html {
  return bareLayout({ title: "Request failed", main: html`<div class="fault"><h1>${sentence}</h1></div>` });
}

function failedPage(): Html {
  const main = html`<div class="fault"><p class="number">500</p>
<h1>Something went wrong here</h1>
<p>The error was logged. Try again in a moment.</p></div>`;
  return bareLayout({ title: "Something went wrong", main });
}

export function notAllowedPage(): Html {
  const main = html`<div class="fault"><p class="number">405</p><h1>Method not allowed</h1></div>`;
  return bareLayout({ title: "Not allowed", main });
}
