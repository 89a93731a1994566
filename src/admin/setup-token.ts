import { type Account, hasAccounts } from "../accounts/accounts";
import type { Platen } from "../platen";
import { isEqualSecret, newSecret } from "../secrets";

const TOKEN_BYTES = 24;

/** In memory only: the server prints a new link after a restart. */
const tokens = new WeakMap<Platen, string>();

export function setupToken(platen: Platen): string | null {
  if (hasAccounts(platen)) return null;
  const token = tokens.get(platen) ?? newSecret(TOKEN_BYTES);
  tokens.set(platen, token);
  return token;
}

export function isSetupToken(platen: Platen, presented: string): boolean {
  const token = setupToken(platen);
  return token !== null && isEqualSecret(presented, token);
}

const demos = new WeakMap<Platen, { token: string; account: Account }>();

/** @returns a path that signs a browser in to the demo account */
export function startDemoSignIn(platen: Platen, account: Account): string {
  const token = newSecret();
  demos.set(platen, { token, account });
  return `/setup/demo?token=${token}`;
}

export function demoAccount(platen: Platen, presented: string): Account | null {
  const demo = demos.get(platen);
  return demo && isEqualSecret(presented, demo.token) ? demo.account : null;
}
