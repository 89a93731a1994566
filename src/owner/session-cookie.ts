import type { Account } from "../accounts/accounts";
import { accountInSession } from "../accounts/sessions";
import { requestBase, type Sockets } from "../http/requests/client-address";
import type { Platen } from "../platen";

/** In seconds: as long as browsers keep a cookie at most. The session itself ends earlier (see accounts/sessions). */
const COOKIE_LASTS = 400 * 86_400;

/** `session` says who is signed in; `visitor` ties a form to the browser that was shown it, before anybody is. */
type CookieName = "session" | "visitor";

/** Who is signed in in this browser, or null. */
export function signedIn(platen: Platen, request: Request, sockets: Sockets): Account | null {
  const session = cookieOf(platen, request, sockets, "session");
  return session ? accountInSession(platen, session) : null;
}

export function cookieOf(
  platen: Platen,
  request: Request,
  sockets: Sockets,
  name: CookieName,
): string | null {
  const wanted = `${nameOf(platen, request, sockets, name)}=`;
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(wanted))?.slice(wanted.length) || null;
}

/** A `Set-Cookie` header's value; an empty `value` takes the cookie away. */
export function cookieFor(
  platen: Platen,
  request: Request,
  sockets: Sockets,
  name: CookieName,
  value: string,
): string {
  const secure = isSecure(platen, request, sockets) ? "; Secure" : "";
  const lasts = value === "" ? 0 : COOKIE_LASTS;
  return `${nameOf(platen, request, sockets, name)}=${value}; Path=/; Max-Age=${lasts}; HttpOnly; SameSite=Lax${secure}`;
}

/** With `__Host-` browsers take the cookie from this very host over https only: no neighbour can plant one. */
function nameOf(platen: Platen, request: Request, sockets: Sockets, name: CookieName): string {
  return `${isSecure(platen, request, sockets) ? "__Host-" : ""}platen_${name}`;
}

function isSecure(platen: Platen, request: Request, sockets: Sockets): boolean {
  return (
    platen.config.url.startsWith("https:") || requestBase(platen, request, sockets).protocol === "https:"
  );
}
