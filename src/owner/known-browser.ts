import { type Account, accountById } from "../accounts/accounts";
import type { Call } from "../http/requests/call";
import { newSecret, signText, verifySignature } from "../secrets";
import { readCookie, setCookie } from "./session-cookie";

const PURPOSE = "known browsers";

/**
 * Id of a browser that has signed in to this account since its last password change, or null. Failed
 * attempts by others do not lock a known browser out.
 */
export function knownBrowser(call: Call, email: string): string | null {
  const [accountId = "", name = "", signature = ""] = (readCookie(call, "browser") ?? "").split(".");
  const account = accountById(call.platen, Number(accountId));
  const isOf = account?.email.toLowerCase() === email.toLowerCase();
  if (!account || !isOf) return null;
  return verifySignature(call.platen, PURPOSE, browserClaim(account, name), signature) ? name : null;
}

/** Marks this browser as known. A known browser keeps its id, and so its rate limit. */
export function knownBrowserCookie(call: Call, account: Account): { "set-cookie": string } {
  const name = knownBrowser(call, account.email) ?? newSecret();
  const signature = signText(call.platen, PURPOSE, browserClaim(account, name));
  return setCookie(call, "browser", `${account.id}.${name}.${signature}`);
}

/** The signed text. It includes the password's hash, so a new password invalidates all cookies. */
function browserClaim(account: Account, name: string): string {
  return `${account.id} ${name} ${account.passwordHash}`;
}
