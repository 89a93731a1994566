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

/**
 * Signs with each valid secret of the blog, which must have one. The current secret comes first.
 * @returns value of the header `webhook-signature`
 */
export function signaturesOf(signed: string, blog: Blog, at: Date): string {
  const { webhookSecret, formerSecret, formerSecretUntil } = blog;
  const isFormerValid = formerSecret !== null && formerSecretUntil !== null && at < formerSecretUntil;
  const secrets = [webhookSecret as string, ...(isFormerValid ? [formerSecret] : [])];
  return secrets.map((secret) => `v1,${signatureOf(signed, secret)}`).join(" ");
}

function signatureOf(signed: string, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return new Bun.CryptoHasher("sha256", key).update(signed).digest("base64");
}

function newSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");
}
