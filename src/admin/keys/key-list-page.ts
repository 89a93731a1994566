import { listAccountKeys } from "../../accounts/key-list";
import { SCOPES, STANDARD_SCOPES } from "../../accounts/keys";
import { SCOPE_LABELS } from "../../accounts/scope-labels";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { passwordAgainField } from "../../owner/password-check";
import { type Html, html } from "../../text/html";
import type { Visit } from "../layout/visit";
import { timesFor } from "../words/times";
import { furtherLinks, KEYS_PER_PAGE, keyRow, pageIn } from "./key-rows";

export const KEYS = "/admin/keys";

/** The values of `platen key add --expires`. */
export const LIFETIMES: [value: string, words: string][] = [
  ["", "Never"],
  ["7d", "After a week"],
  ["30d", "After 30 days"],
  ["90d", "After 90 days"],
  ["365d", "After a year"],
];

/** A rejected form. */
export interface KeyInput {
  name: string;
  scopes: string[];
  blogs: string[];
  expires: string;
  faults: FieldErrors;
}

export function keysMain(visitor: Visit, input?: KeyInput): Html {
  const { call, account, blog } = visitor;
  const page = pageIn(call.url.searchParams);
  const { rows, goesOn } = listAccountKeys(call.platen, account, {
    ofApps: false,
    page,
    limit: KEYS_PER_PAGE,
  });
  const times = timesFor({ timeZone: blog?.timeZone ?? "UTC" }, call.platen.now());
  return html`<div class="page-head"><h1>API settings</h1>
<div class="ways"><a class="button quiet" href="/api/docs">API documentation</a><a class="button quiet" href="/admin/apps">Apps</a></div></div>
<p class="lead">Programs use the JSON API and Micropub with a key. Create one for each program, so you can revoke them separately.</p>
${keyForm(visitor, input)}
<h2>API keys</h2>
${
  rows.length === 0
    ? html`<div class="empty"><h3>No keys yet</h3><p>Your keys are listed here, with when they were last used.</p></div>`
    : html`<ul class="rows">${rows.map((key) => keyRow(visitor, key, KEYS, times))}</ul>`
}
${furtherLinks(KEYS, page, goesOn)}`;
}

function keyForm(visitor: Visit, input?: KeyInput): Html {
  const { call, account, token } = visitor;
  const { name = "", scopes = STANDARD_SCOPES as string[], expires = "", faults } = input ?? {};
  return html`<form class="stack" method="post" action="${KEYS}">
${csrfField(token)}
${formField(
  {
    name: "name",
    label: "Name",
    hint: "What it is for, like “My phone” or “Site build”.",
    faults: faults?.name,
  },
  (tied) => html`<input ${tied} type="text" maxlength="200" autocomplete="off" value="${name}">`,
)}
<fieldset class="ticks"${faults?.scope && html` aria-describedby="scope-fault"`}><legend>Permissions</legend>
${faults?.scope && html`<p class="wrong" id="scope-fault" role="alert">Select at least one permission.</p>`}
${Object.entries(SCOPE_LABELS)
  .filter(([scope]) => (SCOPES as readonly string[]).includes(scope))
  .map(
    ([scope, words]) =>
      html`<label class="tick"><input type="checkbox" name="scope" value="${scope}"${scopes.includes(scope) && html` checked`}> ${words} <code>${scope}</code></label>`,
  )}
</fieldset>
${blogTicks(visitor, input)}
${formField(
  { name: "expires", label: "Expires", faults: faults?.expires },
  (tied) =>
    html`<select ${tied}>${LIFETIMES.map(([value, words]) => html`<option value="${value}"${value === expires && html` selected`}>${words}</option>`)}</select>`,
)}
${passwordAgainField(call, account, "to create a key", faults?.password_again)}
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

/** The only time that the key is shown. */
export function newKeyMain(visitor: Visit, text: string, name: string): Html {
  const base = visitor.call.platen.config.url;
  return html`<h1>Key created</h1>
<p class="lead">Copy it now: it is shown only once. Platen stores only its hash.</p>
<div class="field copied"><label for="key">${name}</label>
<div class="beside"><textarea id="key" rows="1" readonly spellcheck="false">${text}</textarea>
<button type="button" class="quiet" data-copy="key" data-with-scripts>Copy</button></div></div>
<h2>Use the key</h2>
<p>Paste it into the app that asks for it, or send it as the header <code>Authorization: Bearer …</code> with requests to <code>${base}/api/v1</code> and <code>${base}/micropub</code>.</p>
<p class="actions"><a class="button" href="${KEYS}">I have copied it</a></p>`;
}
