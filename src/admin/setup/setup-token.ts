import { hasAccounts } from "../../accounts/accounts";
import type { Platen } from "../../platen";
import { isEqualSecret, newSecret } from "../../secrets";

/** Bytes of randomness. */
const LENGTH = 24;

/** In memory only: a server started anew prints a new link. */
const tokens = new WeakMap<Platen, string>();

/** What the one-time setup link carries; null once there is an account, however it was made. */
export function setupToken(platen: Platen): string | null {
  if (hasAccounts(platen)) return null;
  const token = tokens.get(platen) ?? newSecret(LENGTH);
  tokens.set(platen, token);
  return token;
}

/** Is this the token of the one-time link, and is there still something to set up? */
export function isSetupToken(platen: Platen, presented: string): boolean {
  const token = setupToken(platen);
  return token !== null && isEqualSecret(presented, token);
}
