import type { ClaimedDelivery } from "./delivery-claims";
import { hmacKeyOf } from "./signing-secrets";

const SECOND = 1000;

/** The headers of a delivery's request (contract.md 7; those that begin with `webhook-` as Standard Webhooks has them). */
export function webhookHeaders(
  { messageId, event, secrets, payload }: ClaimedDelivery,
  at: Date,
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / SECOND);
  return {
    "content-type": "application/json",
    "user-agent": "Platen-Webhooks/1.0",
    "webhook-id": messageId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signaturesOf(secrets, `${messageId}.${timestamp}.${payload}`),
    "x-platen-event": event,
  };
}

/** One signature for each secret, between spaces. */
function signaturesOf(secrets: string[], signed: string): string {
  const hmac = (secret: string) =>
    new Bun.CryptoHasher("sha256", hmacKeyOf(secret)).update(signed).digest("base64");
  return secrets.map((secret) => `v1,${hmac(secret)}`).join(" ");
}
