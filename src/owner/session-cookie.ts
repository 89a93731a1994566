import type { Account } from "../accounts/accounts";
import { accountInSession } from "../accounts/sessions";
import type { Call } from "../http/requests/call";
import { requestBase } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";

/** Cookie lifetime in seconds, the longest that browsers allow. Sessions expire earlier. */
const MAX_AGE_SECONDS = 400 * 86_400;

/**
 * `visitor` binds sign-in forms to a browser. `browser` marks a known browser. `blog` is the slug of the
 * last blog used. `panel` is "open" while the post settings are open.
 */
export type CookieName = "session" | "visitor" | "browser" | "blog" | "toast" | "panel";

export function signedIn(call: Call): Account | null {
  const session = readCookie(call, "session");
  return session ? accountInSession(call.platen, session) : null;
}

export function readCookie(call: Call, name: CookieName): string | null {
  const cookies = new Bun.CookieMap(readHeader(call.request, "cookie") ?? "");
  return cookies.get(cookieName(call, name)) || null;
}

/** A `Set-Cookie` header; an empty `value` deletes the cookie. */
export function setCookie(call: Call, name: CookieName, value: string): { "set-cookie": string } {
  const cookie = new Bun.Cookie(cookieName(call, name), value, {
    path: "/",
    maxAge: value === "" ? 0 : MAX_AGE_SECONDS,
    httpOnly: true,
    sameSite: "lax",
    secure: isHttps(call),
  });
  return { "set-cookie": cookie.serialize() };
}

/** Browsers accept `__Host-` cookies only from this host over HTTPS, so a subdomain cannot set one. */
function cookieName(call: Call, name: CookieName): string {
  return `${isHttps(call) ? "__Host-" : ""}platen_${name}`;
}

function isHttps(call: Call): boolean {
  return call.platen.config.url.startsWith("https:") || requestBase(call).protocol === "https:";
}
