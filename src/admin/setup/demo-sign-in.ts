import type { Account } from "../../accounts/accounts";
import type { Platen } from "../../platen";
import { isEqualSecret, newSecret } from "../../secrets";

/** Tokens are in memory only, so they exist only on a demo server. */
const demos = new WeakMap<Platen, { token: string; account: Account }>();

/** @returns a path that signs a browser in to the demo account */
export function startDemoSignIn(platen: Platen, account: Account): string {
  const token = newSecret();
  demos.set(platen, { token, account });
  return `/setup/demo?token=${token}`;
}

/** The demo account if the token is valid; null otherwise. */
export function demoAccount(platen: Platen, presented: string): Account | null {
  const demo = demos.get(platen);
  return demo && isEqualSecret(presented, demo.token) ? demo.account : null;
}
