import { Elysia } from "elysia";
import { malformed, tooLarge } from "../errors";
import type { Platen } from "../platen";
import { callerOf } from "./authorized";

/** The largest JSON body, in bytes (contract.md 4: 10 MB). */
export const LARGEST = 10 * 1024 * 1024;
const DEEPEST = 100;

/**
 * Bodies are JSON whatever their Content-Type says: `curl -d '{…}'` calls it a form. Elysia reads a body before it
 * derives anything, so the key is checked here too: an anonymous request is 401 whatever it carries, its body unread.
 * @throws Refusal: unauthorized, malformed, too large
 */
export const jsonBody = (platen: Platen) =>
  new Elysia({ name: "json body" }).onParse({ as: "scoped" }, ({ request }) => {
    callerOf(platen, request);
    return readText(request, LARGEST).then(jsonIn);
  });

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

/** What is nested without end overflows the stack of whoever writes it out again, an error message for one. */
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
