import { type Account, accountById } from "../accounts/accounts";
import { accountInSession, type SessionOrigin, type SessionStart, startSession } from "../accounts/sessions";
import type { Call } from "../http/requests/call";
import { clientAddress, networkName, requestBase } from "../http/requests/client-address";
import { browserName, readHeader } from "../http/requests/headers";
import type { HttpResponse } from "../http/responses/response";
import { recordNotice } from "../notices/notice-recording-and-choices";
import { newSecret, signText, verifySignature } from "../secrets";

/** Browsers limit cookies to 400 days. Sessions expire earlier, on the server. */
const MAX_AGE_SECONDS = 400 * 86_400;

/**
 * `visitor` binds sign-in forms to a browser, `browser` marks a known browser, and `blog` is the last blog
 * used.
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

const PURPOSE = "known browsers";

/**
 * Id of a browser that has signed in to this account since the last password change, or null. A known browser
 * has its own rate limit, so that failed attempts of strangers do not lock the browser out.
 */
export function knownBrowser(call: Call, email: string): string | null {
  const [accountId = "", name = "", signature = ""] = (readCookie(call, "browser") ?? "").split(".");
  const account = accountById(call.platen, Number(accountId));
  const isSameAccount = account?.email.toLowerCase() === email.toLowerCase();
  if (!account || !isSameAccount) return null;
  return verifySignature(call.platen, PURPOSE, browserClaim(account, name), signature) ? name : null;
}

export function knownBrowserCookie(call: Call, account: Account): { "set-cookie": string } {
  const name = knownBrowser(call, account.email) ?? newSecret();
  const signature = signText(call.platen, PURPOSE, browserClaim(account, name));
  return setCookie(call, "browser", `${account.id}.${name}.${signature}`);
}

/** Includes the hash of the password, so that a new password makes known browsers unknown. */
function browserClaim(account: Account, name: string): string {
  return `${account.id} ${name} ${account.passwordHash}`;
}

export function withSession(call: Call, account: Account, response: HttpResponse, start?: SessionStart) {
  if (knownBrowser(call, account.email) === null)
    recordNotice(call.platen, account, "signed in", { about: describeOrigin(call) });
  for (const cookie of [
    setCookie(call, "session", startSession(call.platen, account, sessionOrigin(call), start)),
    knownBrowserCookie(call, account),
  ])
    response.headers.append("set-cookie", cookie["set-cookie"]);
  return response;
}

/** The IP address is shortened, so that sessions do not store the full address. */
export function sessionOrigin(call: Call): SessionOrigin {
  return {
    device: browserName(readHeader(call.request, "user-agent") ?? ""),
    place: networkName(clientAddress(call)),
  };
}

/** @returns for example "Firefox on Linux, 203.0.113.*" */
export function describeOrigin(call: Call): string {
  const { device, place } = sessionOrigin(call);
  return [device, place].filter(Boolean).join(", ");
}
