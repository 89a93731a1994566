import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";

/** Below this, in bytes, compressing saves no packet. */
const SMALLEST = 1000;

export type Encoding = "zstd" | "br" | "gzip";

/** In the order they are preferred: all are made once and kept, so the one that unpacks fastest and small comes first. */
const PACK: Record<Encoding, (body: Uint8Array) => Uint8Array> = {
  zstd: (body) => zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: 9 } }),
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body) => gzipSync(body),
};

const PACKABLE = /^(text\/|application\/(json|.*\+json|.*\+xml|xml|javascript)|image\/svg)/;

/** The best encoding that the client takes for this body (RFC 9110 12.5.3), or null to send it as it is. */
export function encodingFor(accepts: string | null, contentType: string, length: number): Encoding | null {
  if (!accepts || length < SMALLEST || !PACKABLE.test(contentType)) return null;
  const weights = weightsIn(accepts);
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const names = (Object.keys(PACK) as Encoding[]).filter((name) => weightOf(name) > 0);
  return names.toSorted((one, other) => weightOf(other) - weightOf(one))[0] ?? null;
}

/** "gzip, br;q=0.5" → gzip 1, br 0.5 */
function weightsIn(accepts: string): Map<string, number> {
  const items = accepts.toLowerCase().split(",");
  return new Map(
    items.map((item) => {
      const [name = "", weight] = item.trim().split(/\s*;\s*q=/);
      return [name, weight === undefined ? 1 : Number(weight) || 0];
    }),
  );
}

export function pack(body: Uint8Array, encoding: Encoding): Uint8Array {
  return PACK[encoding](body);
}
