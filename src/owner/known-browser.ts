import { type Account, accountById } from "../accounts/accounts";
import type { Call } from "../http/requests/call";
import { newSecret, signText, verifySignature } from "../secrets";
import { readCookie, setCookie } from "./session-cookie";

const PURPOSE = "known browsers";

/** The id of a browser that was signed in to this account before, or null. Strangers' failed attempts elsewhere do not lock it out. It is valid until the password changes. */
export function knownBrowser(call: Call, email: string): string | null {
  const [accountId = "", name = "", signature = ""] = (readCookie(call, "browser") ?? "").split(".");
  const account = accountById(call.platen, Number(accountId));
  const isOf = account?.email.toLowerCase() === email.toLowerCase();
  if (!account || !isOf) return null;
  return verifySignature(call.platen, PURPOSE, browserClaim(account, name), signature) ? name : null;
}

/** Marks this browser as known; a known one keeps its id and its rate limit. */
export function knownBrowserCookie(call: Call, account: Account): { "set-cookie": string } {
  const name = knownBrowser(call, account.email) ?? newSecret();
  const signature = signText(call.platen, PURPOSE, browserClaim(account, name));
  return setCookie(call, "browser", `${account.id}.${name}.${signature}`);
}

/** Includes the password's hash, so that a new password ends all claims. */
function browserClaim(account: Account, name: string): string {
  return `${account.id} ${name} ${account.passwordHash}`;
}
