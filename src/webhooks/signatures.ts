/** Standard Webhooks: what a receiver checks that a request is ours by. */

const PREFIX = "whsec_";
/** Bytes of randomness in a secret; the standard asks for 24 to 64. */
const SECRET_LENGTH = 32;

/** `whsec_` and base64, as the standard's libraries take it. */
export function newSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))).toString("base64");
}

/**
 * The value of `webhook-signature`: one signature for each secret, between spaces.
 * @param timestamp seconds since 1970, as the header `webhook-timestamp` has it
 */
export function signatureOf(secrets: string[], id: string, timestamp: number, body: string): string {
  return secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`).join(" ");
}

function hmac(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return new Bun.CryptoHasher("sha256", key).update(signed).digest("base64");
}
