import { malformed } from "../../errors";
import { free } from "../../garbage";
import { nextTurn } from "../../next-turn";
import { MOST } from "../../request-limits";
import { MEGABYTE } from "../../units";

const [AND, EQUALS, PLUS, SPACE, PERCENT] = [38, 61, 43, 32, 37];
/** So many bytes are decoded in one turn. */
const AT_ONCE = MEGABYTE;

/**
 * The fields of an urlencoded form as URLSearchParams finds them, which takes a tenth of a second for ten megabytes: of
 * this one, others see less than 10 ms at a time.
 * @param body is decoded where it stands, and given back: not to be used any more
 * @param admit is told of each field, in turn, with the length of its value in bytes, before anything of the value is looked at
 * @throws Refusal (malformed) for more fields than MOST.formFields; whatever `admit` throws
 */
export async function fieldsIn(
  body: Buffer,
  admit: (name: string, bytes: number) => void,
): Promise<[name: string, value: string][]> {
  try {
    return await decodedFields(body, admit);
  } finally {
    free(body);
  }
}

async function decodedFields(body: Buffer, admit: (name: string, bytes: number) => void) {
  const fields: [string, string][] = [];
  for (let at = 0, end = 0, count = 0; at < body.length; at = end + 1) {
    end = body.indexOf(AND, at);
    if (end < 0) end = body.length;
    if (++count > MOST.formFields) throw malformed(`A form may have at most ${MOST.formFields} fields.`);
    if (end === at) continue;
    const field = body.subarray(at, end);
    const equals = field.indexOf(EQUALS);
    const [name, value] =
      equals < 0 ? [field, field.subarray(end)] : [field.subarray(0, equals), field.subarray(equals + 1)];
    const decoded = await textOf(name);
    admit(decoded, value.length);
    fields.push([decoded, await textOf(value)]);
  }
  return fields;
}

/** Bytes that are no UTF-8, and signs `%` without two digits, are no fault. */
async function textOf(encoded: Buffer): Promise<string> {
  let [read, length] = [0, 0];
  while (read < encoded.length) {
    if (read > 0) await nextTurn();
    for (const stop = read + AT_ONCE; read < stop && read < encoded.length; read++) {
      const byte = encoded[read] as number;
      const escaped = byte === PERCENT ? byteIn(encoded, read + 1) : -1;
      if (escaped >= 0) read += 2;
      encoded[length++] = escaped >= 0 ? escaped : byte === PLUS ? SPACE : byte;
    }
  }
  return encoded.toString("utf8", 0, length);
}

/** The byte that two hexadecimal digits stand for; below 0 where they are none. */
function byteIn(encoded: Buffer, at: number): number {
  return at + 1 < encoded.length
    ? ((DIGITS[encoded[at] as number] as number) << 4) | (DIGITS[encoded[at + 1] as number] as number)
    : -1;
}

/** Character code → what it counts as a hexadecimal digit, -1: none. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) => {
  const digit = String.fromCharCode(code);
  return /[0-9a-f]/i.test(digit) ? Number.parseInt(digit, 16) : -1;
});
