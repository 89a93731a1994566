import { instanceSecret } from "../../database/instance-settings";
import type { Platen } from "../../platen";

/**
 * Ids that survive a new slug and a new domain, as feeds require (RFC 4287 4.2.6). They are UUIDs of version
 * 8 (RFC 9562).
 */
export function permanentIds(platen: Platen): (kind: "blog" | "category" | "post", id: number) => string {
  // The name of a stored secret. A new name would change all ids.
  const secret = instanceSecret(platen, "feed identities");
  return (kind, id) => {
    const digits = new Bun.CryptoHasher("sha256", secret).update(`${kind} ${id}`).digest("hex");
    const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}`;
    return `urn:uuid:${uuid}-${digits.slice(20, 32)}`;
  };
}
