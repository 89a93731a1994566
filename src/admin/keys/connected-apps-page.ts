import { keysOf } from "../../accounts/uses/keys-in-order";
import { type Html, html } from "../../text/html";
import { wayUp } from "../layout/page-links";
import type { Visit } from "../layout/visit";
import { timesFor } from "../words/times";
import { furtherLinks, keyRow, ON_A_PAGE, pageIn } from "./key-rows";

export function appsMain(visitor: Visit, path: string): Html {
  const { call, account, blog } = visitor;
  const page = pageIn(call.url.searchParams);
  const { rows, goesOn } = keysOf(call.platen, account, { ofApps: true, page, limit: ON_A_PAGE });
  const times = timesFor({ timeZone: blog?.timeZone ?? "UTC" }, call.platen.now());
  return html`${wayUp("/admin/keys", "API settings")}
<div class="page-head"><h1>Apps</h1>
<div class="ways"><a class="button" href="${path}/write">Write with an app</a></div></div>
<p class="lead">Apps that you signed in to with your blog's address. Each has its own key.</p>
${
  rows.length === 0
    ? html`<div class="empty"><h2>No connected apps</h2><p>Enter your blog's address in an app that supports Micropub or IndieAuth. It sends you here to allow access.</p></div>`
    : html`<ul class="rows">${rows.map((key) => keyRow(visitor, key, path, times))}</ul>`
}
${furtherLinks(path, page, goesOn)}`;
}
