import { type AppAttempt, listAppAttempts, WORKED } from "../../accounts/app-attempts";
import { blogUrl } from "../../blogs/permalinks";
import { isLoopbackHost } from "../../config/ip-ranges";
import { type Html, html } from "../../text/html";
import { qrCode } from "../../text/qr-code";
import type { AdminPage } from "../layout/admin-routes";
import { copyField, parentLink } from "../layout/page-controls";
import type { Visit } from "../layout/visit";
import type { Times } from "../words/times";

const KNOWN_APPS: [name: string, where: string, how: string][] = [
  [
    "iA Writer",
    "Mac, iPhone, iPad",
    "In Settings, Accounts, add a Micropub account, then sign in or paste a key. Set the format to Markdown.",
  ],
  [
    "Micro.blog's app",
    "Mac, iPhone, Android",
    "In the app's settings, choose “WordPress or compatible weblog” for new posts and enter the address.",
  ],
  ["Indigenous", "Android", "In Accounts, choose Add account and enter the address."],
  ["Quill", "quill.p3k.io", "Enter the address under Sign in, then allow access here."],
  ["Micropublish", "micropublish.net", "Enter the address and sign in."],
  [
    "Obsidian, with Micropub Publisher",
    "Mac, Windows, Linux",
    "In the plug-in's settings, enter the Micropub endpoint and paste a key as the bearer token.",
  ],
];

export function writingAppsPage(visit: Visit): AdminPage {
  return { title: "Write with an app", place: "apps", main: writingAppsMain(visit) };
}

function writingAppsMain(visit: Visit): Html {
  const { platen, account, blog, blogs, times } = visit;
  if (!blog)
    return html`<h1>Write with an app</h1><p class="lead">Create a blog first, then connect an app to the blog.</p>`;
  const address = blogUrl(platen, blog);
  return html`${parentLink("/admin/apps", "Apps")}
<h1>Write with an app</h1>
<p class="lead">Any app that supports Micropub can write to ${blog.title}. Enter this address in the app, which then sends you here to allow access.</p>
${unreachable(address)}
<div class="app-address"><div>
${copyField("address", "Your blog's address", address)}
${copyField("endpoint", "Micropub endpoint, for apps that ask for it and a key", `${platen.config.url}/micropub`)}
<p><a href="/admin/keys">Create a key</a> for apps that ask for one.${blogs.length > 1 && " Each blog has its own address: switch blogs at the top."}</p>
</div>
<figure>${qrCode(address, `QR code with the address of ${blog.title}`)}
<figcaption>On a phone, scan this code with the camera.</figcaption></figure></div>
<h2>Connection attempts</h2>
${attemptList(listAppAttempts(platen, account), times)}
<p class="actions"><a class="button quiet" href="/admin/apps/write">Refresh</a></p>
<h2>Apps known to work</h2>
<ul class="rows">
${KNOWN_APPS.map(([name, where, how]) => html`<li><div class="what"><strong class="name">${name}</strong><p class="about"><span>${where}</span></p><p>${how}</p></div></li>`)}
</ul>`;
}

function unreachable(address: string): Html | null {
  const { protocol, hostname } = new URL(address);
  if (isLoopbackHost(hostname))
    return html`<p class="asks">Only this machine can reach this address; apps on a phone or the web can't. Set PLATEN_URL to your public address.</p>`;
  if (protocol === "http:")
    return html`<p class="asks">This address doesn't use https. Many apps reject it, and keys can be read in transit.</p>`;
  return null;
}

function attemptList(attempts: AppAttempt[], times: Times): Html {
  const [last] = attempts;
  if (!last)
    return html`<p role="status">No app has connected since the server started. If your app says that it has connected, check the address in the app, or whether a web server in front of Platen responds instead.</p>`;
  return html`<p role="status">Last attempt ${times.near(last.at)}: ${last.app} wanted to ${last.action}. ${last.isSuccess ? last.outcome : html`<strong>Rejected:</strong> ${last.outcome}`}</p>
<ul class="rows attempts">
${attempts.map(
  (one) => html`<li><div class="what"><strong class="name">${one.app}</strong>
<p class="about"><span class="state ${one.isSuccess ? "live" : "failed"}">${one.isSuccess ? "Worked" : "Rejected"}</span><span>${times.near(one.at)}</span><span>wanted to ${one.action}</span></p>
${one.outcome !== WORKED && html`<p>${one.outcome}</p>`}</div></li>`,
)}
</ul>`;
}
