import { LARGEST } from "../../config/request-limits";
import { malformed, tooLarge } from "../../errors";
import { free } from "../../runtime/garbage-collection";
import { header } from "./headers";
import type { HeldBody } from "./held-bodies";

/** @param beginning as much as may be read without a key @throws Refusal: no more of the body is read */
type Admit = (beginning: string) => HeldBody;

/** As UTF-8. @param most in bytes @throws Refusal: too large, malformed */
export async function readText(request: Request, most: number): Promise<string> {
  return (await readBytes(request, most)).toString("utf8");
}

/**
 * @param most in bytes
 * @param admit is asked, once, when more than LARGEST.beforeKey have come, with what stands in those: throws where no
 *   key does, and tells in whose memory the body is held
 * @throws Refusal (too large) as soon as the body is longer, whatever length it announced
 * @returns bytes of its own: who has read a large body calls `free`
 */
export async function readBytes(request: Request, most: number, admit: Admit | null = null): Promise<Buffer> {
  const packed = header(request, "content-encoding") ?? "identity";
  if (packed !== "identity")
    throw malformed(`The body comes in ${packed}; send it without Content-Encoding.`);
  const refusal = () => tooLarge(`The body is larger than ${sizeText(most)}.`);
  const announced = Number(header(request, "content-length") ?? 0);
  if (announced > most) throw refusal();
  // Bun reads no more than was announced; a stream costs more than most bodies do.
  if (announced > 0 && announced <= LARGEST.beforeKey) return Buffer.from(await request.arrayBuffer());
  let bytes: Buffer = Buffer.allocUnsafeSlow(0);
  let length = 0;
  let held: HeldBody | undefined;
  let isWhole = false;
  try {
    for await (const chunk of request.body ?? []) {
      if (length + chunk.length > most) throw refusal();
      bytes = added(chunk, bytes, length, announced);
      length += chunk.length;
      if (length > LARGEST.beforeKey) held ??= admit?.(bytes.toString("utf8", 0, LARGEST.beforeKey));
      held?.grow(chunk.length);
      free(chunk);
    }
    isWhole = true;
    return bytes.subarray(0, length);
  } finally {
    held?.release();
    if (!isWhole) free(bytes);
  }
}

/** Until a key is known there is room for no more than has come. @param announced in bytes, as far as the client told */
function added(chunk: Uint8Array, bytes: Buffer, length: number, announced: number): Buffer {
  const needed = length + chunk.length;
  if (needed <= bytes.length) {
    bytes.set(chunk, length);
    return bytes;
  }
  const isAdmitted = length > LARGEST.beforeKey;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, isAdmitted ? Math.max(announced, 2 * length) : 0));
  larger.set(bytes.subarray(0, length));
  larger.set(chunk, length);
  free(bytes);
  return larger;
}

export function sizeText(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
}
