import { eq } from "drizzle-orm";
import { type Blog, blogById } from "../blogs/blogs";
import { DAY } from "../config/units";
import { blogs } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict } from "../errors";
import type { Platen } from "../platen";

/** Before the base64 of every secret, as Standard Webhooks' libraries expect it. */
const PREFIX = "whsec_";
/** Bytes of randomness in a secret; the standard asks for 24 to 64. */
const SECRET_LENGTH = 32;
/** How long a replaced secret goes on signing beside the new one, in milliseconds. */
const FORMER_SIGNS_FOR = DAY;

/** The blog's signing secret, made when its first webhook is added. To be called inside a transaction. */
export function ensureSecret(platen: Platen, blog: Blog): string {
  const kept = blogById(platen, blog.id)?.webhookSecret;
  if (kept) return kept;
  const webhookSecret = newSecret();
  platen.db.update(blogs).set({ webhookSecret }).where(eq(blogs.id, blog.id)).run();
  return webhookSecret;
}

/**
 * A new signing secret for the blog; the former one signs too for a day, so that receivers can change over.
 * @throws Refusal (conflict) where the blog has none yet
 */
export function rotateSecret(platen: Platen, blog: Blog): string {
  return inTransaction(platen, () => {
    const formerSecret = blogById(platen, blog.id)?.webhookSecret;
    if (!formerSecret) throw conflict(`The blog ${blog.slug} has no webhooks, and so no secret.`);
    const webhookSecret = newSecret();
    const formerSecretUntil = new Date(platen.now().getTime() + FORMER_SIGNS_FOR);
    platen.db
      .update(blogs)
      .set({ webhookSecret, formerSecret, formerSecretUntil })
      .where(eq(blogs.id, blog.id))
      .run();
    return webhookSecret;
  });
}

/** The secrets that sign a request now, the present one first. For a blog that has a webhook, and so a secret. */
export function validSecrets(
  {
    webhookSecret,
    formerSecret,
    formerSecretUntil,
  }: Pick<Blog, "webhookSecret" | "formerSecret" | "formerSecretUntil">,
  at: Date,
): string[] {
  const isFormerValid = formerSecret !== null && formerSecretUntil !== null && at < formerSecretUntil;
  return [webhookSecret as string, ...(isFormerValid ? [formerSecret] : [])];
}

/** The bytes that a secret stands for. */
export function decodeSecret(secret: string): Uint8Array {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}

function newSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))).toString("base64");
}
