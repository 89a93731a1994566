import { hasAccounts } from "../../accounts/accounts";
import type { Platen } from "../../platen";

/** Bytes of randomness. */
const LENGTH = 24;

/** In memory only: a server started anew prints a new link. */
const tokens = new WeakMap<Platen, string>();

/** What the one-time setup link carries; null once there is an account, however it was made. */
export function setupToken(platen: Platen): string | null {
  if (hasAccounts(platen)) return null;
  const token =
    tokens.get(platen) ?? Buffer.from(crypto.getRandomValues(new Uint8Array(LENGTH))).toString("base64url");
  tokens.set(platen, token);
  return token;
}

/** Is this the token of the one-time link, and is there still something to set up? */
export function isSetupToken(platen: Platen, presented: string): boolean {
  const token = setupToken(platen);
  return token !== null && crypto.timingSafeEqual(digest(token), digest(presented));
}

function digest(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
