import { type Blog, blogUrl, homeBlog } from "../../blogs/blogs";
import type { Refusal } from "../../errors";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { type HttpResponse, privatePageResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { word } from "../../text/words/words";
import { bareLayout, blogLayout, blogPath } from "./layout";
import { searchForm } from "./pagination-and-search-form";

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
  const title = word(blog, "notFound");
  return blogLayout(platen, blog, { title, isUnlisted: true, isInEnglish: true, main });
}

/** Must not contain the setup link, because anybody can open this page. */
export function notSetUpPage(platen: Platen): Html {
  const body = html`
<h1>Platen is not set up yet</h1>
<p>If this is your server, open the setup link in the terminal or the system log. The link begins with
<code>${platen.config.url}/setup?token=</code>. On its page, you create your account and your blog.</p>
<p>If you cannot find the link, restart Platen to print a new one. Or create your account and blog on the server with <code>platen setup</code>.</p>
`;
  return faultPage("Not set up yet", body);
}

export function refusalResponse(refusal: Refusal): HttpResponse {
  const page =
    refusal.kind === "failed"
      ? faultPage("Something went wrong", FAILED)
      : faultPage("Request failed", html`<h1>${refusal.message}</h1>`);
  return privatePageResponse(page, ERROR_STATUS[refusal.kind], errorHeaders(refusal));
}

const FAILED = html`<p class="number">500</p>
<h1>Something went wrong here</h1>
<p>The error was logged. Try again in a moment.</p>`;

export function notAllowedPage(): Html {
  return faultPage("Not allowed", html`<p class="number">405</p><h1>Method not allowed</h1>`);
}

function faultPage(title: string, body: Html): Html {
  return bareLayout({ title, main: html`<div class="fault">${body}</div>` });
}
