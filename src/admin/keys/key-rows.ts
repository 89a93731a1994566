import type { ListedKey } from "../../accounts/key-list";
import { SCOPE_LABELS } from "../../accounts/scope-labels";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import type { Visit } from "../layout/visit";
import type { Times } from "../words/times";

export const KEYS_PER_PAGE = 25;

export function keyRow({ blogs, token, call }: Visit, key: ListedKey, path: string, times: Times): Html {
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

export function revocationMain({ token }: Visit, { id, name, clientId }: ListedKey, path: string): Html {
  return html`<h1>Revoke <bdi>${name}</bdi>?</h1>
<p class="lead">${clientId ? "The app loses access until you sign in to it again." : "Programs that use this key lose access. You can't undo this, but you can create another key."}</p>
<form class="actions" method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="id" value="${id}">
<input type="hidden" name="sure" value="yes">
<button class="danger" name="do" value="revoke">Revoke</button>
<a class="button quiet" href="${path}">Back</a>
</form>`;
}

/** Previous and next, without a total: nobody has so many keys that they need counting. */
export function furtherLinks(path: string, page: number, goesOn: boolean): Html | null {
  if (page === 1 && !goesOn) return null;
  const to = (other: number) => (other === 1 ? path : `${path}?page=${other}`);
  return html`<nav class="page-links" aria-label="Pages">
${page > 1 ? html`<a class="button quiet" rel="prev" href="${to(page - 1)}">Previous</a>` : html`<span></span>`}
${goesOn ? html`<a class="button quiet" rel="next" href="${to(page + 1)}">Next</a>` : html`<span></span>`}
</nav>`;
}

export function pageIn(params: URLSearchParams): number {
  const page = Number(params.get("page"));
  return Number.isSafeInteger(page) && page > 0 && page < 1_000_000 ? page : 1;
}
