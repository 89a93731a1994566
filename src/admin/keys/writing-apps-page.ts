import { type AppAttempt, appAttempts, WORKED } from "../../accounts/uses/kept-app-attempts";
import { blogUrl } from "../../blogs/permalinks";
import { isLoopbackHost } from "../../config/ip-ranges";
import { type Html, html } from "../../text/html";
import { qrCode } from "../../text/qr-code";
import { wayUp } from "../layout/page-links";
import type { Visit } from "../layout/visit";
import { type Times, timesFor } from "../words/times";

/** As docs/micropub.md has them, step by step. */
const KNOWN_APPS: [name: string, where: string, how: string][] = [
  [
    "iA Writer",
    "Mac, iPhone, iPad",
    "Settings, Accounts, add one of the kind Micropub; sign in, or paste a key. Set the format to Markdown.",
  ],
  [
    "Micro.blog's app",
    "Mac, iPhone, Android",
    "In its settings choose “WordPress or compatible weblog” for new posts, and type the address.",
  ],
  ["Indigenous", "Android", "Accounts, Add account, and type the address."],
  ["Quill", "quill.p3k.io", "Type the address under Sign in, and choose “Let it in” here."],
  ["Micropublish", "micropublish.net", "Type the address and sign in."],
  [
    "Obsidian, with Micropub Publisher",
    "Mac, Windows, Linux",
    "In the plug-in's settings type the Micropub endpoint, and paste a key as the bearer token.",
  ],
];

/** Which app can I write with: the address to give to it, apps that are known to work, and whether one has arrived. */
export function writingAppsMain(visitor: Visit): Html {
  const { call, account, blog, blogs } = visitor;
  const { platen } = call;
  const times = timesFor({ timeZone: blog?.timeZone ?? "UTC" }, platen.now());
  if (!blog)
    return html`<h1>Write with an app</h1><p class="lead">There is no blog yet that an app could write to.</p>`;
  const address = blogUrl(platen, blog);
  return html`${wayUp("/admin/apps", "Apps")}
<h1>Write with an app</h1>
<p class="lead">Any app that speaks Micropub can write to ${blog.title}. Give it this address; it sends you here to let it in.</p>
${unreachable(address)}
<div class="app-address"><div>
${copied("address", "Address of your blog", address)}
${copied("endpoint", "Micropub endpoint, for apps that ask for it and for a key", `${platen.config.url}/micropub`)}
<p><a href="/admin/keys">Make a key</a> for those.${blogs.length > 1 && " Another blog has its own address: choose the blog at the top."}</p>
</div>
<figure>${qrCode(address, `The address of ${blog.title}, for a phone's camera`)}
<figcaption>For a phone: point its camera here.</figcaption></figure></div>
<h2>Did it arrive?</h2>
${attemptList(appAttempts(platen, account), times)}
<p class="actions"><a class="button quiet" href="/admin/apps/write">Look again</a></p>
<h2>Apps that are known to work</h2>
<ul class="rows">
${KNOWN_APPS.map(([name, where, how]) => html`<li><div class="what"><strong class="name">${name}</strong><p class="about"><span>${where}</span></p><p>${how}</p></div></li>`)}
</ul>`;
}

function copied(id: string, label: string, text: string): Html {
  return html`<div class="field copied"><label for="${id}">${label}</label>
<div class="beside"><textarea id="${id}" rows="1" readonly spellcheck="false">${text}</textarea>
<button type="button" class="quiet" data-copy="${id}" data-with-scripts>Copy<span class="spoken"> ${label}</span></button></div></div>`;
}

/** Where only this machine reaches it, most apps fail, and cannot say why. */
function unreachable(address: string): Html | null {
  const { protocol, hostname } = new URL(address);
  if (isLoopbackHost(hostname))
    return html`<p class="asks">This address is known to this machine only. Apps on a phone or on the web cannot reach it: set PLATEN_URL to the one that others use.</p>`;
  if (protocol === "http:")
    return html`<p class="asks">This address has no https. Many apps refuse that, and keys can be read on their way.</p>`;
  return null;
}

function attemptList(attempts: AppAttempt[], times: Times): Html {
  const [last] = attempts;
  if (!last)
    return html`<p role="status">No app has asked anything since this server was started. If yours says that it did, the address in it may be another one, or a web server before Platen answers in its place.</p>`;
  return html`<p role="status">The last attempt arrived ${times.near(last.at)}: ${last.app} wanted to ${last.asked}. ${last.isGood ? last.outcome : html`<strong>It was refused:</strong> ${last.outcome}`}</p>
<ul class="rows attempts">
${attempts.map(
  (one) => html`<li><div class="what"><strong class="name">${one.app}</strong>
<p class="about"><span class="state ${one.isGood ? "live" : "failed"}">${one.isGood ? "Worked" : "Refused"}</span><span>${times.near(one.at)}</span><span>wanted to ${one.asked}</span></p>
${one.outcome !== WORKED && html`<p>${one.outcome}</p>`}</div></li>`,
)}
</ul>`;
}
