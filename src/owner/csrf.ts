import { forbidden } from "../errors";
import type { SentForm } from "../http/forms/form-body";
import type { Call } from "../http/requests/call";
import { requestBase } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";
import type { Platen } from "../platen";
import { signText, verifySignature } from "../secrets";
import { type Html, html } from "../text/html";
import { type CookieName, readCookie } from "./session-cookie";

/** What CSRF tokens are signed for. */
const PURPOSE = "form tokens";
const FIELD = "token";
type TokenForm = Pick<SentForm<typeof FIELD>, "get">;

/** Shows that this browser was given the form by us. @param cookie a cookie's value that only it has */
export function csrfToken(platen: Platen, cookie: string): string {
  return signText(platen, PURPOSE, cookie);
}

/** Belongs into every form of a page for the owner. */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${FIELD}" value="${token}">`;
}

/**
 * Only our own pages may send our forms (contract.md 6). The browser says where a form is from; where it says nothing,
 * the form's token must fit the browser's cookie.
 * @throws Refusal (forbidden)
 */
export function requireSameOrigin(call: Call, form: TokenForm, cookie: CookieName): void {
  const isOurs = isSameOrigin(call) ?? hasToken(call, form, cookie);
  if (!isOurs) throw fromElsewhere();
}

/**
 * For a form that says by itself who may send it, in its address: no other site sends it in somebody's browser.
 * @throws Refusal (forbidden)
 */
export function refuseOtherOrigins(call: Call): void {
  if (isSameOrigin(call) === false) throw fromElsewhere();
}

const fromElsewhere = () =>
  forbidden("This form did not come from a page of this site. Go back, reload, and try again.");

/** Does the request come from a page of ours, as far as the browser says? Null: it does not say. */
export function isSameOrigin(call: Call): boolean | null {
  const { platen, request } = call;
  const site = readHeader(request, "sec-fetch-site");
  if (site && site !== "none") return site === "same-origin";
  const origin = readHeader(request, "origin");
  if (!origin || origin === "null") return null;
  return origin === platen.config.url || origin === requestBase(call).origin;
}

function hasToken(call: Call, form: TokenForm, name: CookieName): boolean {
  const token = form.get(FIELD);
  const cookie = readCookie(call, name);
  return token !== null && cookie !== null && verifySignature(call.platen, PURPOSE, cookie, token);
}
