import type { Account } from "../../accounts/accounts";
import type { Platen } from "../../platen";
import { isEqualSecret, newSecret } from "../../secrets";

/** In memory only: no other server signs anybody in by a link. */
const demos = new WeakMap<Platen, { token: string; account: Account }>();

/** From now on this path signs a browser in as the demo's account. */
export function startDemoSignIn(platen: Platen, account: Account): string {
  const token = newSecret();
  demos.set(platen, { token, account });
  return `/setup/demo?token=${token}`;
}

/** The demo's account if this is its sign-in token; null otherwise, and without a demo. */
export function demoAccount(platen: Platen, presented: string): Account | null {
  const demo = demos.get(platen);
  return demo && isEqualSecret(presented, demo.token) ? demo.account : null;
}
