import { malformed, tooLarge } from "../../errors";

/** The largest JSON body, in bytes (contract.md 4: 10 MB). */
export const LARGEST_JSON_BODY = 10 * 1024 * 1024;
const DEEPEST = 100;

/** @throws Refusal (malformed) */
export function jsonIn(text: string): unknown {
  const body = parsed(text);
  if (nestsDeeper(body, DEEPEST)) throw malformed(`The body nests deeper than ${DEEPEST} levels.`);
  return body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("The body is not valid JSON.");
  }
}

/** Deep nesting overflows the stack of JSON.stringify, which error messages use. */
function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => nestsDeeper(inner, levels - 1));
}

/** @param most in bytes @throws Refusal (too large) as soon as the body is longer, whatever length it announced */
export async function readText(request: Request, most: number): Promise<string> {
  const packed = request.headers.get("content-encoding") ?? "identity";
  if (packed !== "identity")
    throw malformed(`The body comes in ${packed}; send it without Content-Encoding.`);
  const refusal = tooLarge(`The body is larger than ${most / 1024 / 1024} MB.`);
  if (Number(request.headers.get("content-length") ?? 0) > most) throw refusal;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > most) throw refusal;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
