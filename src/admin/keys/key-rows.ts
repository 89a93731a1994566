import type { ListedKey } from "../../accounts/uses/keys-in-order";
import { SCOPE_WORDS } from "../../accounts/uses/scope-words";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import type { Visit } from "../layout/visit";
import type { Times } from "../words/times";

/** Keys or apps on a page. */
export const ON_A_PAGE = 25;

/** One key as the lists have it: what it is, may, and was last used for. @param path of the list; the key's own page lies below it */
export function keyRow({ blogs, token, call }: Visit, key: ListedKey, path: string, times: Times): Html {
  const { id, name, clientId, revokedAt, lastUsedAt, lastUsedFrom, lastUsedBy, createdAt, expiresAt } = key;
  const hasEnded = isEnded(key, call.platen.now());
  return html`<li${hasEnded && html` class="ended"`}><div class="what"><strong class="name">${name}</strong>
<p class="about">${keyState(key, call.platen.now(), times)}
${clientId && html`<span>${clientId}</span>`}
<span>${blogWords(key, blogs)}</span>
<span>${clientId ? "connected" : "made"} ${times.near(createdAt)}</span>
${expiresAt && !hasEnded && html`<span>until ${times.full(expiresAt)}</span>`}</p>
<p class="about whole"><span>${lastUsedAt ? html`Last used ${times.near(lastUsedAt)}${lastUsedFrom && ` from ${lastUsedFrom}`}${lastUsedBy && ` by ${lastUsedBy}`}` : "Not used yet"}</span>${revokedAt && html`<span>revoked ${times.near(revokedAt)}</span>`}</p>
<p class="about whole"><span>May: ${scopeWords(key.scopes)}</span></p></div>
${!hasEnded && html`<form method="post" action="${path}">${csrfField(token)}<input type="hidden" name="id" value="${id}"><button class="quiet" name="do" value="revoke">Revoke<span class="spoken"> ${name}</span></button></form>`}</li>
`;
}

function isEnded({ revokedAt, expiresAt }: ListedKey, now: Date): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now);
}

function keyState({ revokedAt, expiresAt }: ListedKey, now: Date, times: Times): Html {
  if (revokedAt) return html`<span class="state">Revoked</span>`;
  if (expiresAt && expiresAt <= now) return html`<span class="state">Expired ${times.near(expiresAt)}</span>`;
  return html`<span class="state live">In use</span>`;
}

function blogWords({ blogIds }: ListedKey, blogs: Visit["blogs"]): string {
  if (blogIds.length === 0) return "all your blogs";
  return blogs
    .filter(({ id }) => blogIds.includes(id))
    .map(({ title }) => title)
    .join(", ");
}

/** "publish new posts, delete posts" */
function scopeWords(scopes: string[]): string {
  const words = Object.entries(SCOPE_WORDS)
    .filter(([scope]) => scopes.includes(scope))
    .map(([, does]) => does.replace(/^./, (letter) => letter.toLowerCase()));
  return words.join("; ") || "know your blog's address, and nothing else";
}

/** Asked before a key ends. @param path of the list */
export function revocationMain({ token }: Visit, { id, name, clientId }: ListedKey, path: string): Html {
  return html`<h1>Revoke <bdi>${name}</bdi>?</h1>
<p class="lead">${clientId ? "The app can do nothing more, until you sign in to it again." : "Whatever uses this key is refused from then on. A revoked key cannot be brought back; you can make another one."}</p>
<form class="actions" method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="id" value="${id}">
<input type="hidden" name="sure" value="yes">
<button class="danger" name="do" value="revoke">Revoke</button>
<a class="button quiet" href="${path}">Back</a>
</form>`;
}

/** From one page of keys to the next; nobody has so many that they need be counted. */
export function furtherLinks(path: string, page: number, goesOn: boolean): Html | null {
  if (page === 1 && !goesOn) return null;
  const to = (other: number) => (other === 1 ? path : `${path}?page=${other}`);
  return html`<nav class="page-links" aria-label="Pages of the list">
${page > 1 ? html`<a class="button quiet" rel="prev" href="${to(page - 1)}">Previous</a>` : html`<span></span>`}
${goesOn ? html`<a class="button quiet" rel="next" href="${to(page + 1)}">Next</a>` : html`<span></span>`}
</nav>`;
}

/** What makes no sense is the first. */
export function pageIn(params: URLSearchParams): number {
  const page = Number(params.get("page"));
  return Number.isSafeInteger(page) && page > 0 && page < 1_000_000 ? page : 1;
}
