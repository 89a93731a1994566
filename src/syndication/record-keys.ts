const KEY_LETTERS = "234567abcdefghijklmnopqrstuvwxyz";
const KEY_LENGTH = 13;

/** A TID (atproto.com/specs/tid): the time in microseconds, then 10 random bits. */
export function newRecordKey(at: Date): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const microseconds = BigInt(at.getTime()) * 1000n + BigInt(random % 1000);
  let number = (microseconds << 10n) | BigInt((random >>> 10) % 1024);
  let key = "";
  for (let place = 0; place < KEY_LENGTH; place++, number >>= 5n)
    key = KEY_LETTERS[Number(number & 31n)] + key;
  return key;
}
