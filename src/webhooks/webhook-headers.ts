import { SECOND } from "../config/units";
import { messageIdOf } from "../deliveries/channel";
import type { Attempt, BlogDelivery } from "../deliveries/delivery-log";
import { decodeSecret } from "./signing-secrets";

interface Message {
  event: string;
  /** Every attempt uses the same id, so that receivers recognize duplicates. */
  messageId: string;
}

/** Names that begin with `webhook-` follow Standard Webhooks. */
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

export function requestHeaders(
  { event, receiver }: Pick<BlogDelivery, "event" | "receiver">,
  { at, signature }: Attempt,
): Record<string, string> {
  const message = { event: event.name, messageId: messageIdOf(event, receiver.id) };
  return webhookHeaders(message, at, signature ?? "(not kept)");
}

export function signatureAt(messageId: string, secrets: string[], payload: string, at: Date): string {
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
