import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import type { Answer } from "./answer";

/** Below this, in bytes, compressing saves no packet. */
const SMALLEST = 1000;

type Encoding = "zstd" | "br" | "gzip";

/** Above this, in bytes, pages are packed less tightly, a fifth larger and ten times as fast: others wait meanwhile. */
const LARGE = 256 * 1024;

/** In the order of our preference: fast to unpack and small first. */
const PACK: Record<Encoding, (body: Uint8Array, isLarge: boolean) => Uint8Array> = {
  zstd: (body, isLarge) =>
    zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: isLarge ? 1 : 9 } }),
  br: (body, isLarge) =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: isLarge ? 1 : 5 } }),
  gzip: (body) => gzipSync(body),
};

const PACKABLE = /^(text\/|application\/(json|.*\+json|.*\+xml|xml|javascript)|image\/svg)/;

/**
 * Gives the answer a form for each encoding, made when it is first asked for and kept; each has its own entity tag
 * (RFC 9110 8.8.3.3). The plain form too is a copy, which can be sent without being copied each time.
 * @param onMade is told the bytes of each form made, which come to those of the answer
 */
export function packable<Kind extends Answer<string | Uint8Array<ArrayBuffer>>>(
  answer: Kind,
  onMade: (bytes: number) => void = () => {},
): Kind & Answer<Uint8Array<ArrayBuffer>> {
  const headers = new Headers(answer.headers);
  headers.append("vary", "accept-encoding");
  const bytes = typeof answer.body === "string" ? new TextEncoder().encode(answer.body) : answer.body;
  const whole = { ...answer, headers, body: bytes };
  const isPacked = bytes.length >= SMALLEST && PACKABLE.test(headers.get("content-type") ?? "");
  const forms: Partial<Record<Encoding | "identity", Answer>> = {};
  const formFor = (accepts: string | null): Answer => {
    const encoding = (isPacked && accepts !== null && bestEncoding(accepts)) || "identity";
    const known = forms[encoding];
    if (known) return known;
    const made = encoding === "identity" ? { ...whole, body: new Blob([bytes]) } : packed(whole, encoding);
    forms[encoding] = made;
    onMade(made.body.size);
    return made;
  };
  return { ...whole, formFor };
}

/** Accept-Encoding → `bestEncoding`. Browsers send three or four different ones. */
const bestEncodings = new Map<string, Encoding | null>();
const MOST_BEST_ENCODINGS = 100;

/** The best encoding that the client takes (RFC 9110 12.5.3), or null to send the body as it is. */
function bestEncoding(accepts: string): Encoding | null {
  let best = bestEncodings.get(accepts);
  if (best === undefined) {
    best = encodingFor(accepts);
    if (bestEncodings.size >= MOST_BEST_ENCODINGS) bestEncodings.clear();
    bestEncodings.set(accepts, best);
  }
  return best;
}

function encodingFor(accepts: string): Encoding | null {
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
      const [name = "", weight] = item.split(";").map((part) => part.trim());
      return [name, weight?.startsWith("q=") ? Number(weight.slice("q=".length)) || 0 : 1];
    }),
  );
}

function packed({ status, headers, body }: Answer<Uint8Array<ArrayBuffer>>, encoding: Encoding) {
  const own = new Headers(headers);
  own.set("content-encoding", encoding);
  const etag = headers.get("etag");
  if (etag) own.set("etag", etag.replace(/"$/, `-${encoding}"`));
  return {
    status,
    headers: own,
    body: new Blob([new Uint8Array(PACK[encoding](body, body.length > LARGE))]),
  };
}
