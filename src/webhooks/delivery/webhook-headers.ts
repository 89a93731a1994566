import { SECOND } from "../../config/units";
import { decodeSecret } from "../signing-secrets";
import type { ClaimedDelivery } from "./delivery-claims";

type Message = Pick<ClaimedDelivery, "messageId" | "event">;

/** Returns the request headers. Those with `webhook-` follow Standard Webhooks. */
export function webhookHeaders(message: Message, at: Date, signature: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Platen-Webhooks/1.0",
    "webhook-id": message.messageId,
    "webhook-timestamp": String(timestampOf(at)),
    "webhook-signature": signature,
    "x-platen-event": message.event,
  };
}

/** Returns the value of `webhook-signature`: one signature per secret, separated by spaces. */
export function signatureAt({ messageId, secrets, payload }: ClaimedDelivery, at: Date): string {
  return signaturesOf(secrets, `${messageId}.${timestampOf(at)}.${payload}`);
}

function timestampOf(at: Date): number {
  return Math.floor(at.getTime() / SECOND);
}

function signaturesOf(secrets: string[], signed: string): string {
  const hmac = (secret: string) =>
    new Bun.CryptoHasher("sha256", decodeSecret(secret)).update(signed).digest("base64");
  return secrets.map((secret) => `v1,${hmac(secret)}`).join(" ");
}
