import type { Account } from "../accounts/accounts";
import { accountWithPassword } from "../accounts/passwords";
import { invalid } from "../errors";
import type { Call } from "../http/requests/call";
import { throttle } from "../http/requests/rate-limits";
import { ASKED_AGAIN } from "./sign-in-limits";

/**
 * Asked before what would let somebody stay who has only got hold of a session.
 * @throws Refusal: throttled, invalid naming `current`
 */
export async function demandPassword(
  { platen }: Call,
  account: Account,
  password: string | null,
): Promise<void> {
  throttle(platen, ASKED_AGAIN, String(account.id));
  if (!(await accountWithPassword(platen, account.email, password ?? "")))
    throw invalid({ current: ["is not the one that you sign in with"] });
}
