import {
  findAccountKey,
  type ListedKey,
  listAccountKeys,
  makeKey,
  revokeKey,
  SCOPE_LABELS,
  SCOPES,
  STANDARD_SCOPES,
} from "../accounts/api-keys";
import { type AppAttempt, listAppAttempts, WORKED } from "../accounts/app-attempts";
import { blogUrl } from "../blogs/blogs";
import { isLoopbackHost } from "../config/ip-ranges";
import { parseDuration } from "../config/units";
import { inTransaction } from "../database/transactions";
import { forbidden, invalid, notFound } from "../errors";
import { type FormState, inputField, selectField } from "../http/form-field";
import { passwordAgainField, requireRecentPassword } from "../owner/password-confirmation";
import { type Html, html } from "../text/html";
import { qrCode } from "../text/qr-code";
import {
  confirmationMain,
  copyField,
  pageLink,
  pageNav,
  pageNumber,
  parentLink,
  postForm,
  withParams,
} from "./layout/page-controls";
import { type AdminPage, type AdminResult, accountRoutes, withActions } from "./layout/routing";
import type { Times } from "./layout/times-and-languages";
import { type AdminForm, idIn, type Visit } from "./layout/visit";

const KEYS = "/admin/keys";
const APPS = "/admin/apps";

export const keyRoutes = accountRoutes({
  "GET /keys": keysPage,
  "POST /keys": withActions({ create: createKey, revoke: confirmRevoke }, keysPage),
  "GET /apps": appsPage,
  "POST /apps": withActions({ revoke: confirmRevoke }),
  "GET /apps/write": writingAppsPage,
});

async function createKey(visit: Visit, form: AdminForm): Promise<AdminPage> {
  const { platen, account } = visit;
  await requireRecentPassword(visit, form);
  const { text, row } = inTransaction(platen, () =>
    makeKey(platen, account, {
      name: form.text("name"),
      scopes: form.getAll("scope"),
      blogIds: blogIdsIn(visit, form),
      lifetime: lifetimeIn(form.text("expires")),
    }),
  );
  const base = platen.config.url;
  const main = html`<h1>Key created</h1>
<p class="lead">Copy the key now: it is shown only once. Platen stores only a hash of the key.</p>
${copyField("key", row.name, text)}
<h2>Use the key</h2>
<p>Paste the key into the app that asks for it, or send it as the header <code>Authorization: Bearer …</code> with requests to <code>${base}/api/v1</code> and <code>${base}/micropub</code>.</p>
<p class="actions"><a class="button" href="${KEYS}">I have copied it</a></p>`;
  return { title: "New key", place: "keys", main, status: 201 };
}

function blogIdsIn({ blogs }: Visit, form: AdminForm): number[] {
  return form.getAll("blog").map((id) => {
    const blog = blogs.find((one) => String(one.id) === id);
    if (!blog) throw forbidden("This blog belongs to another account.");
    return blog.id;
  });
}

function lifetimeIn(text: string): number | undefined {
  if (!Object.hasOwn(LIFETIMES, text)) throw invalid({ expires: ["must be one of the listed options"] });
  return parseDuration(text) ?? undefined;
}

function confirmRevoke(visit: Visit, form: AdminForm): AdminResult {
  const { platen, url } = visit.call;
  const key = findAccountKey(platen, visit.account, idIn(form.get("id")));
  if (!key) throw notFound("key");
  const { id, name, clientId } = key;
  if (form.get("sure") === "yes")
    return revokeKey(platen, id) ? `${name} revoked.` : `${name} was already revoked.`;
  const path = url.pathname;
  const main = confirmationMain(visit, {
    question: html`Revoke <bdi>${name}</bdi>`,
    lead: clientId
      ? "The app loses access until you sign in to it again."
      : "Programs that use this key lose access. You can't undo this, but you can create another key.",
    action: path,
    fields: { do: "revoke", id, sure: "yes" },
    button: "Revoke",
    back: path,
  });
  return { title: "Revoke", place: path === APPS ? "apps" : "keys", main };
}

/** In the format of `parseDuration`; "" for no end. */
const LIFETIMES = {
  "": "Never",
  "7d": "After a week",
  "30d": "After 30 days",
  "90d": "After 90 days",
  "365d": "After a year",
};

function keysPage(visit: Visit): AdminPage {
  const empty = html`<div class="empty"><h3>No keys yet</h3><p>Your keys are listed here, with the time of their last use.</p></div>`;
  const main = html`<div class="page-head"><h1>API settings</h1>
<div class="ways"><a class="button quiet" href="/api/docs">API docs</a><a class="button quiet" href="/admin/apps">Apps</a></div></div>
<p class="lead">Programs use the JSON API and Micropub with a key. Create one for each program, so you can revoke them separately.</p>
${keyForm(visit)}
<h2>API keys</h2>
${keyList(visit, KEYS, false, empty)}`;
  return { title: "API settings", place: "keys", main };
}

function keyForm(visit: Visit): Html {
  const { rejected } = visit;
  const scopes: readonly string[] = rejected?.sent.getAll("scope") ?? STANDARD_SCOPES;
  const form: FormState = rejected ?? {};
  const { errors } = form;
  return html`${postForm(visit, "stack", KEYS)}
${inputField(form, "name", "Name", {
  hint: "The purpose of the key, like “My phone” or “Site build”.",
  more: html`type="text" maxlength="200" autocomplete="off"`,
})}
<fieldset class="ticks"${errors?.scope && html` aria-describedby="scope-fault"`}><legend>Permissions</legend>
${errors?.scope && html`<p class="wrong" id="scope-fault" role="alert">Select at least one permission.</p>`}
${Object.entries(SCOPE_LABELS)
  .filter(([scope]) => (SCOPES as readonly string[]).includes(scope))
  .map(
    ([scope, words]) =>
      html`<label class="tick"><input type="checkbox" name="scope" value="${scope}"${scopes.includes(scope) && html` checked`}> ${words} <code>${scope}</code></label>`,
  )}
</fieldset>
${blogTicks(visit)}
${selectField(form, "expires", "Expires", LIFETIMES)}
${passwordAgainField(visit, "to create a key")}
<div class="actions"><button class="primary" name="do" value="create">Create key</button></div>
</form>`;
}

function blogTicks({ blogs, rejected }: Visit): Html | null {
  const selected = rejected?.sent.getAll("blog") ?? [];
  if (blogs.length < 2) return null;
  return html`<fieldset class="ticks"><legend>Blogs</legend>
${blogs.map(({ id, title }) => html`<label class="tick"><input type="checkbox" name="blog" value="${id}"${selected.includes(String(id)) && html` checked`}> ${title}</label>`)}
<p class="hint">If you select none, the key works in all your blogs, including future ones.</p>
</fieldset>`;
}

const KEYS_PER_PAGE = 25;

function keyList(visit: Visit, path: string, ofApps: boolean, empty: Html): Html {
  const { call, platen, account } = visit;
  const page = pageNumber(call.url.searchParams);
  const { rows, hasMore } = listAccountKeys(platen, account, { ofApps, page, limit: KEYS_PER_PAGE });
  return html`${rows.length === 0 ? empty : html`<ul class="rows">${rows.map((key) => keyRow(visit, key, path))}</ul>`}
${pageNav(
  page > 1 && pageLink("Previous", withParams(call, { page: page - 1 }), "prev"),
  hasMore && pageLink("Next", withParams(call, { page: page + 1 }), "next"),
)}`;
}

function keyRow(visit: Visit, key: ListedKey, path: string): Html {
  const { blogs, platen, times } = visit;
  const { id, name, clientId, revokedAt, lastUsedAt, lastUsedFrom, lastUsedBy, createdAt, expiresAt } = key;
  const hasEnded = isKeyEnded(key, platen.now());
  return html`<li${hasEnded && html` class="ended"`}><div class="what"><strong class="name">${name}</strong>
<p class="about">${keyState(key, platen.now(), times)}
${clientId && html`<span>${clientId}</span>`}
<span>${keyBlogNames(key, blogs)}</span>
<span>${clientId ? "connected" : "created"} ${times.near(createdAt)}</span>
${expiresAt && !hasEnded && html`<span>expires ${times.full(expiresAt)}</span>`}</p>
<p class="about whole"><span>${lastUsedAt ? html`Last used ${times.near(lastUsedAt)}${lastUsedFrom && ` from ${lastUsedFrom}`}${lastUsedBy && ` by ${lastUsedBy}`}` : "Not used yet"}</span>${revokedAt && html`<span>revoked ${times.near(revokedAt)}</span>`}</p>
<p class="about whole"><span>Can: ${scopeWords(key.scopes)}</span></p></div>
${!hasEnded && html`${postForm(visit, "", path, { id })}<button class="quiet" name="do" value="revoke">Revoke<span class="spoken"> ${name}</span></button></form>`}</li>
`;
}

function isKeyEnded({ revokedAt, expiresAt }: ListedKey, now: Date): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now);
}

function keyState({ revokedAt, expiresAt }: ListedKey, now: Date, times: Times): Html {
  if (revokedAt) return html`<span class="state">Revoked</span>`;
  if (expiresAt && expiresAt <= now) return html`<span class="state">Expired ${times.near(expiresAt)}</span>`;
  return html`<span class="state live">Active</span>`;
}

function keyBlogNames({ blogIds }: ListedKey, blogs: Visit["blogs"]): string {
  if (blogIds.length === 0) return "all your blogs";
  return blogs
    .filter(({ id }) => blogIds.includes(id))
    .map(({ title }) => title)
    .join(", ");
}

function scopeWords(scopes: string[]): string {
  const words = Object.entries(SCOPE_LABELS)
    .filter(([scope]) => scopes.includes(scope))
    .map(([, does]) => does.replace(/^./, (letter) => letter.toLowerCase()));
  return words.join("; ") || "see your blog's address, nothing else";
}

function appsPage(visit: Visit): AdminPage {
  const empty = html`<div class="empty"><h2>No connected apps</h2><p>Enter your blog's address in an app that supports Micropub or IndieAuth. The app sends you here to allow access.</p></div>`;
  const main = html`${parentLink(KEYS, "API settings")}
<div class="page-head"><h1>Apps</h1>
<div class="ways"><a class="button" href="${APPS}/write">Write with an app</a></div></div>
<p class="lead">Apps that you signed in to with your blog's address. Each app has its own key.</p>
${keyList(visit, APPS, true, empty)}`;
  return { title: "Apps", place: "apps", main };
}

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

function writingAppsPage(visit: Visit): AdminPage {
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
