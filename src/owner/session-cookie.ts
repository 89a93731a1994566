import type { Account } from "../accounts/accounts";
import { accountInSession } from "../accounts/sessions";
import type { Call } from "../http/requests/call";
import { requestBase } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";

/** In seconds: as long as browsers keep a cookie at most. The session itself ends earlier (see accounts/sessions). */
const MAX_AGE = 400 * 86_400;

/**
 * `session` says who is signed in; `visitor` ties a form to the browser that was shown it, before anybody is; `browser`
 * tells that somebody was before (see known-browser); `blog` is the slug of the blog used last, `toast` what has just been done;
 * `panel` whether the settings stand beside a post ("open"), which a script writes.
 */
export type CookieName = "session" | "visitor" | "browser" | "blog" | "toast" | "panel";

/** Who is signed in in this browser, or null. */
export function signedIn(call: Call): Account | null {
  const session = readCookie(call, "session");
  return session ? accountInSession(call.platen, session) : null;
}

export function readCookie(call: Call, name: CookieName): string | null {
  const cookies = new Bun.CookieMap(readHeader(call.request, "cookie") ?? "");
  return cookies.get(nameOf(call, name)) || null;
}

/** A `Set-Cookie` header; an empty `value` takes the cookie away. */
export function setCookie(call: Call, name: CookieName, value: string): { "set-cookie": string } {
  const cookie = new Bun.Cookie(nameOf(call, name), value, {
    path: "/",
    maxAge: value === "" ? 0 : MAX_AGE,
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure(call),
  });
  return { "set-cookie": cookie.serialize() };
}

/** With `__Host-` browsers take the cookie from this very host over https only: no neighbour can plant one. */
function nameOf(call: Call, name: CookieName): string {
  return `${isSecure(call) ? "__Host-" : ""}platen_${name}`;
}

function isSecure(call: Call): boolean {
  return call.platen.config.url.startsWith("https:") || requestBase(call).protocol === "https:";
}
