import type { Account } from "../accounts/accounts";
import { accountInSession } from "../accounts/sessions";
import type { Call } from "../http/requests/call";
import { requestBase } from "../http/requests/client-address";

/** In seconds: as long as browsers keep a cookie at most. The session itself ends earlier (see accounts/sessions). */
const COOKIE_LASTS = 400 * 86_400;

/** `session` says who is signed in; `visitor` ties a form to the browser that was shown it, before anybody is. */
type CookieName = "session" | "visitor";

/** Who is signed in in this browser, or null. */
export function signedIn(call: Call): Account | null {
  const session = cookieOf(call, "session");
  return session ? accountInSession(call.platen, session) : null;
}

export function cookieOf(call: Call, name: CookieName): string | null {
  const wanted = `${nameOf(call, name)}=`;
  const cookies = (call.request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(wanted))?.slice(wanted.length) || null;
}

/** A `Set-Cookie` header's value; an empty `value` takes the cookie away. */
export function cookieFor(call: Call, name: CookieName, value: string): string {
  const secure = isSecure(call) ? "; Secure" : "";
  const lasts = value === "" ? 0 : COOKIE_LASTS;
  return `${nameOf(call, name)}=${value}; Path=/; Max-Age=${lasts}; HttpOnly; SameSite=Lax${secure}`;
}

/** With `__Host-` browsers take the cookie from this very host over https only: no neighbour can plant one. */
function nameOf(call: Call, name: CookieName): string {
  return `${isSecure(call) ? "__Host-" : ""}platen_${name}`;
}

function isSecure(call: Call): boolean {
  return call.platen.config.url.startsWith("https:") || requestBase(call).protocol === "https:";
}
