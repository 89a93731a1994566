import { type Blog, blogById } from "../blogs/blogs";
import { DAY } from "../config/units";
import { updateRows } from "../database/rows";
import { blogs } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict } from "../errors";
import type { Platen } from "../platen";

/** Standard Webhooks requires this prefix. */
const PREFIX = "whsec_";
/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;
/** For this long after a rotation, requests are signed with both secrets. */
const OLD_SECRET_MS = DAY;

/** Call this in a transaction. */
export function ensureSecret(platen: Platen, blog: Blog): string {
  const kept = blogById(platen, blog.id)?.webhookSecret;
  if (kept) return kept;
  const webhookSecret = newSecret();
  updateRows(platen, blogs, { id: blog.id }, { webhookSecret });
  return webhookSecret;
}

export function rotateSecret(platen: Platen, blog: Blog): string {
  return inTransaction(platen, () => {
    const formerSecret = blogById(platen, blog.id)?.webhookSecret;
    if (!formerSecret)
      throw conflict(`The blog ${blog.slug} has no webhooks, and therefore no signing secret.`);
    const webhookSecret = newSecret();
    const formerSecretUntil = new Date(platen.now().getTime() + OLD_SECRET_MS);
    updateRows(platen, blogs, { id: blog.id }, { webhookSecret, formerSecret, formerSecretUntil });
    return webhookSecret;
  });
}

/** The current secret comes first. The blog must have a secret. */
export function validSecrets({ webhookSecret, formerSecret, formerSecretUntil }: Blog, at: Date): string[] {
  const isFormerValid = formerSecret !== null && formerSecretUntil !== null && at < formerSecretUntil;
  return [webhookSecret as string, ...(isFormerValid ? [formerSecret] : [])];
}

export function decodeSecret(secret: string): Uint8Array {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}

function newSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");
}
