import { type Account, accountById } from "../accounts/accounts";
import type { Call } from "../http/requests/call";
import { newSecret, signText, verifySignature } from "../secrets";
import { readCookie, setCookie } from "./session-cookie";

/** What its cookie is signed for. */
const PURPOSE = "known browsers";

/**
 * The browser's name, where this account was signed in in it before: what strangers try elsewhere is not counted against
 * it. It stays so after signing out, until the account's password is changed.
 */
export function knownBrowser(call: Call, email: string): string | null {
  const [accountId = "", name = "", signature = ""] = (readCookie(call, "browser") ?? "").split(".");
  const account = accountById(call.platen, Number(accountId));
  const isOf = account?.email.toLowerCase() === email.toLowerCase();
  if (!account || !isOf) return null;
  return verifySignature(call.platen, PURPOSE, claimOf(account, name), signature) ? name : null;
}

/** The cookie by which this browser is known from now on; a known one keeps its name, and with it its tries. */
export function knownBrowserCookie(call: Call, account: Account): { "set-cookie": string } {
  const name = knownBrowser(call, account.email) ?? newSecret();
  const signature = signText(call.platen, PURPOSE, claimOf(account, name));
  return setCookie(call, "browser", `${account.id}.${name}.${signature}`);
}

/** With the password's hash, which is another one, with another salt, whenever the password is set. */
function claimOf(account: Account, name: string): string {
  return `${account.id} ${name} ${account.passwordHash}`;
}
