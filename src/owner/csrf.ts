import { forbidden } from "../errors";
import type { Call } from "../http/requests/call";
import { requestBase } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";
import type { SentForm } from "../http/requests/request-body";
import type { Platen } from "../platen";
import { newSecret, signText, verifySignature } from "../secrets";
import { type Html, html } from "../text/html";
import { type CookieName, readCookie, setCookie } from "./session-cookie";

const PURPOSE = "form tokens";
const FIELD = "token";
type TokenForm = Pick<SentForm<typeof FIELD>, "get">;

/** @param cookie value of a cookie that only this browser has */
export function csrfToken(platen: Platen, cookie: string): string {
  return signText(platen, PURPOSE, cookie);
}

/** For forms of visitors: a token that is bound to a cookie, which `headers` sets. */
export function visitorToken(call: Call) {
  const visitor = readCookie(call, "visitor") ?? newSecret();
  return { visitor, token: csrfToken(call.platen, visitor), headers: setCookie(call, "visitor", visitor) };
}

export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${FIELD}" value="${token}">`;
}

/** Checks Sec-Fetch-Site or Origin. If they are missing or inconclusive, checks the token in the form. */
export function requireSameOrigin(call: Call, form: TokenForm, cookie: CookieName): void {
  const isAllowed = isSameOrigin(call) ?? hasToken(call, form, cookie);
  if (!isAllowed) throw crossSiteForm();
}

/** For forms with a secret URL, which need no token: a request without origin headers passes. */
export function assertSameOriginOrUnknown(call: Call): void {
  if (isSameOrigin(call) === false) throw crossSiteForm();
}

const crossSiteForm = () =>
  forbidden("This form did not come from a page of this site. Go back, reload, and try again.");

/** null if Sec-Fetch-Site and Origin are missing or inconclusive. */
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
