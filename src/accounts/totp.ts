/** Authenticator apps expect the defaults of RFC 6238: SHA-1, six digits, and 30 seconds (here in milliseconds). */
const STEP = 30 * 1000;
const DIGITS = 6;
/** Length of the secret in bytes, as RFC 4226 4 recommends. */
const SECRET_LENGTH = 20;
/** Accepts codes of this many steps before and after the current one, because clocks differ. */
const WINDOW = 1;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Random bytes in base32 (RFC 4648).
 * @param length number of bytes, a multiple of 5 so that no padding is needed
 */
export function randomBase32(length: number): string {
  let bits = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(length)))
    bits += byte.toString(2).padStart(8, "0");
  return bits.replace(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)] as string);
}

export function newCodeSecret(): string {
  return randomBase32(SECRET_LENGTH);
}

/** The number of the time step. */
export function stepAt(at: Date): number {
  return Math.floor(at.getTime() / STEP);
}

/** The code for a time step (RFC 4226 5.3). */
export function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = new Bun.CryptoHasher("sha1", bytesOf(secret)).update(counter).digest();
  const offset = (digest.at(-1) as number) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, "0");
}

/** @returns the time step near `at` and after `lastStep` that has this code, or null */
export function stepOfCode(secret: string, code: string, at: Date, lastStep: number): number | null {
  const now = stepAt(at);
  for (let step = Math.max(now - WINDOW, lastStep + 1); step <= now + WINDOW; step++)
    if (codeOfStep(secret, step) === code) return step;
  return null;
}

function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}
