import { SCOPE_LABELS, SCOPES, STANDARD_SCOPES } from "../../accounts/key-scopes";
import { findAccountKey, type ListedKey, listAccountKeys, makeKey, revokeKey } from "../../accounts/keys";
import { parseDuration } from "../../config/units";
import { inTransaction } from "../../database/transactions";
import { forbidden, invalid, malformed, notFound } from "../../errors";
import { type FormState, inputField, selectField } from "../../http/forms/form-field";
import type { HttpResponse } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import { passwordAgainField, requireRecentPassword } from "../../owner/password-confirmation";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { adminResponse, adminRouter, onAccount } from "../layout/admin-responses";
import {
  confirmationMain,
  copyField,
  pageLink,
  pageNav,
  pageNumber,
  parentLink,
  withParams,
} from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, idIn, readAdminForm, type Visit, withForm } from "../layout/visit";
import type { Times } from "../words/times";
import { writingAppsMain } from "./writing-apps-page";

const APPS = "/admin/apps";

export const keyRoutes = (platen: Platen) =>
  adminRouter(platen, "keys")
    .get(
      KEYS,
      onAccount((visitor) => keysResponse(visitor)),
    )
    .post(KEYS, onAccount(withForm(changeKeys)))
    .get(
      APPS,
      onAccount((visitor) =>
        adminResponse(visitor, { title: "Apps", place: "apps", main: appsMain(visitor, APPS) }),
      ),
    )
    .get(
      `${APPS}/write`,
      onAccount((visitor) =>
        adminResponse(visitor, { title: "Write with an app", place: "apps", main: writingAppsMain(visitor) }),
      ),
    )
    .post(APPS, onAccount(revokeApp));

function keysResponse(visitor: Visit, input?: KeyInput): Promise<HttpResponse> {
  const main = keysMain(visitor, input);
  return adminResponse(visitor, { title: "API settings", place: "keys", main, isRejected: !!input });
}

async function changeKeys(visitor: Visit, form: AdminForm): Promise<HttpResponse> {
  if (form.get("do") === "create") return createKey(visitor, form);
  return confirmRevoke(visitor, form, KEYS);
}

async function revokeApp(visitor: Visit): Promise<HttpResponse> {
  return confirmRevoke(visitor, await readAdminForm(visitor), APPS);
}

async function createKey(visitor: Visit, form: AdminForm): Promise<HttpResponse> {
  try {
    await requireRecentPassword(visitor.call, visitor.account, form.get("password_again"));
    const { text, row } = inTransaction(visitor.call.platen, () =>
      makeKey(visitor.call.platen, visitor.account, {
        name: form.text("name"),
        scopes: form.getAll("scope"),
        blogIds: blogIdsIn(visitor, form),
        lifetime: lifetimeIn(form.text("expires")),
      }),
    );
    const main = newKeyMain(visitor, text, row.name);
    return await adminResponse(visitor, { title: "New key", place: "keys", main, status: 201 });
  } catch (error) {
    return keysResponse(visitor, {
      ...form.rejected(error, "name", "expires"),
      scopes: form.getAll("scope"),
      blogs: form.getAll("blog"),
    });
  }
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

async function confirmRevoke(visitor: Visit, form: AdminForm, path: string): Promise<HttpResponse> {
  if (form.get("do") !== "revoke") throw malformed("Choose an action.");
  const { platen } = visitor.call;
  const key = findAccountKey(platen, visitor.account, idIn(form.get("id")));
  if (!key) throw notFound("key");
  if (form.get("sure") !== "yes")
    return await adminResponse(visitor, {
      title: "Revoke",
      place: path === APPS ? "apps" : "keys",
      main: revocationMain(visitor, key, path),
    });
  const isRevoked = revokeKey(platen, key.id);
  return redirectWithToast(
    visitor.call,
    path,
    isRevoked ? `${key.name} revoked.` : `${key.name} was already revoked.`,
  );
}

export const KEYS = "/admin/keys";

/** In the format of `parseDuration`; "" for no end. */
const LIFETIMES = {
  "": "Never",
  "7d": "After a week",
  "30d": "After 30 days",
  "90d": "After 90 days",
  "365d": "After a year",
};

interface KeyInput extends FormState {
  scopes: string[];
  blogs: string[];
}

function keysMain(visitor: Visit, input?: KeyInput): Html {
  const empty = html`<div class="empty"><h3>No keys yet</h3><p>Your keys are listed here, with the time of their last use.</p></div>`;
  return html`<div class="page-head"><h1>API settings</h1>
<div class="ways"><a class="button quiet" href="/api/docs">API docs</a><a class="button quiet" href="/admin/apps">Apps</a></div></div>
<p class="lead">Programs use the JSON API and Micropub with a key. Create one for each program, so you can revoke them separately.</p>
${keyForm(visitor, input)}
<h2>API keys</h2>
${keyList(visitor, KEYS, false, empty)}`;
}

function keyForm(visitor: Visit, input?: KeyInput): Html {
  const { call, account, token } = visitor;
  const { scopes = STANDARD_SCOPES as string[], values, errors } = input ?? {};
  const form = { values, errors };
  return html`<form class="stack" method="post" action="${KEYS}">
${csrfField(token)}
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
${blogTicks(visitor, input)}
${selectField(form, "expires", "Expires", LIFETIMES)}
${passwordAgainField(call, account, "to create a key", errors)}
<div class="actions"><button class="primary" name="do" value="create">Create key</button></div>
</form>`;
}

function blogTicks({ blogs }: Visit, input?: KeyInput): Html | null {
  if (blogs.length < 2) return null;
  return html`<fieldset class="ticks"><legend>Blogs</legend>
${blogs.map(({ id, title }) => html`<label class="tick"><input type="checkbox" name="blog" value="${id}"${input?.blogs.includes(String(id)) && html` checked`}> ${title}</label>`)}
<p class="hint">If you select none, the key works in all your blogs, including future ones.</p>
</fieldset>`;
}

function newKeyMain(visitor: Visit, text: string, name: string): Html {
  const base = visitor.call.platen.config.url;
  return html`<h1>Key created</h1>
<p class="lead">Copy the key now: it is shown only once. Platen stores only a hash of the key.</p>
${copyField("key", name, text)}
<h2>Use the key</h2>
<p>Paste the key into the app that asks for it, or send it as the header <code>Authorization: Bearer …</code> with requests to <code>${base}/api/v1</code> and <code>${base}/micropub</code>.</p>
<p class="actions"><a class="button" href="${KEYS}">I have copied it</a></p>`;
}

const KEYS_PER_PAGE = 25;

function keyList(visitor: Visit, path: string, ofApps: boolean, empty: Html): Html {
  const { call, account } = visitor;
  const page = pageNumber(call.url.searchParams);
  const { rows, hasMore } = listAccountKeys(call.platen, account, { ofApps, page, limit: KEYS_PER_PAGE });
  return html`${rows.length === 0 ? empty : html`<ul class="rows">${rows.map((key) => keyRow(visitor, key, path))}</ul>`}
${pageNav(
  page > 1 && pageLink("Previous", withParams(call, { page: page - 1 }), "prev"),
  hasMore && pageLink("Next", withParams(call, { page: page + 1 }), "next"),
)}`;
}

function keyRow({ blogs, token, call, times }: Visit, key: ListedKey, path: string): Html {
  const { id, name, clientId, revokedAt, lastUsedAt, lastUsedFrom, lastUsedBy, createdAt, expiresAt } = key;
  const hasEnded = isKeyEnded(key, call.platen.now());
  return html`<li${hasEnded && html` class="ended"`}><div class="what"><strong class="name">${name}</strong>
<p class="about">${keyState(key, call.platen.now(), times)}
${clientId && html`<span>${clientId}</span>`}
<span>${keyBlogNames(key, blogs)}</span>
<span>${clientId ? "connected" : "created"} ${times.near(createdAt)}</span>
${expiresAt && !hasEnded && html`<span>expires ${times.full(expiresAt)}</span>`}</p>
<p class="about whole"><span>${lastUsedAt ? html`Last used ${times.near(lastUsedAt)}${lastUsedFrom && ` from ${lastUsedFrom}`}${lastUsedBy && ` by ${lastUsedBy}`}` : "Not used yet"}</span>${revokedAt && html`<span>revoked ${times.near(revokedAt)}</span>`}</p>
<p class="about whole"><span>Can: ${scopeWords(key.scopes)}</span></p></div>
${!hasEnded && html`<form method="post" action="${path}">${csrfField(token)}<input type="hidden" name="id" value="${id}"><button class="quiet" name="do" value="revoke">Revoke<span class="spoken"> ${name}</span></button></form>`}</li>
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

function revocationMain(visit: Visit, { id, name, clientId }: ListedKey, path: string): Html {
  return confirmationMain(visit, {
    question: html`Revoke <bdi>${name}</bdi>`,
    lead: clientId
      ? "The app loses access until you sign in to it again."
      : "Programs that use this key lose access. You can't undo this, but you can create another key.",
    action: path,
    fields: { do: "revoke", id, sure: "yes" },
    button: "Revoke",
    back: path,
  });
}

function appsMain(visitor: Visit, path: string): Html {
  const empty = html`<div class="empty"><h2>No connected apps</h2><p>Enter your blog's address in an app that supports Micropub or IndieAuth. The app sends you here to allow access.</p></div>`;
  return html`${parentLink("/admin/keys", "API settings")}
<div class="page-head"><h1>Apps</h1>
<div class="ways"><a class="button" href="${path}/write">Write with an app</a></div></div>
<p class="lead">Apps that you signed in to with your blog's address. Each app has its own key.</p>
${keyList(visitor, path, true, empty)}`;
}
