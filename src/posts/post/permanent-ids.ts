import { instanceSecret } from "../../database/instance-secret";
import type { Platen } from "../../platen";

/**
 * Makes names that stay with a thing for good (RFC 4287 4.2.6): neither a new slug, nor another domain, nor a move of
 * the data folder changes them, so no feed reader shows a post twice. They are UUIDs of version 8 (RFC 9562): made our own way.
 */
export function permanentIds(platen: Platen): (kind: "blog" | "category" | "post", id: number) => string {
  // Names a secret in the database: by another name, every post would have another id.
  const secret = instanceSecret(platen, "feed identities");
  return (kind, id) => {
    const digits = new Bun.CryptoHasher("sha256", secret).update(`${kind} ${id}`).digest("hex");
    const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}`;
    return `urn:uuid:${uuid}-${digits.slice(20, 32)}`;
  };
}
