import { KILOBYTE } from "../../config/units";
import { type Bytes, bytesOfBody, type HttpResponse, isLargeBody } from "./response";

const MIN_COMPRESSED_BYTES = 1000;
/** Larger bodies are compressed at FAST_LEVEL, because compression blocks other requests. */
const FAST_LEVEL_BYTES = 512 * KILOBYTE;
const FAST_LEVEL = 1;

type Encoding = "zstd" | "br" | "gzip";

// Own code, because the types of the package `negotiator` lack its parameter for the server's preference.
const COMPRESSORS: Record<Encoding, { level: number; compress(body: Bytes, level: number): Uint8Array }> = {
  zstd: { level: 9, compress: (body, level) => Bun.zstdCompressSync(body, { level }) },
  br: {
    level: 5,
    compress(body, level) {
      // Loaded at the first use, because loading takes a tenth of the start time.
      const zlib = require("node:zlib") as typeof import("node:zlib");
      return zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: level } });
    },
  },
  gzip: { level: 6, compress: (body, level) => Bun.gzipSync(body, { level: level as 1 | 6 }) },
};

const COMPRESSIBLE_TYPES = /^(text\/|application\/(json|.*\+json|.*\+xml|xml|javascript)|image\/svg)/;

/** Each encoding is made once, and has its own entity tag (RFC 9110 8.8.3.3). */
export function withEncodings(response: HttpResponse<string | Bytes>, isCompressed = true): HttpResponse {
  const { body } = response;
  const headers = new Headers(response.headers);
  if (isCompressed) headers.append("vary", "accept-encoding");
  const length = Buffer.byteLength(body);
  const isWorthwhile =
    isCompressed &&
    length >= MIN_COMPRESSED_BYTES &&
    COMPRESSIBLE_TYPES.test(headers.get("content-type") ?? "");
  const encoded = new Map<Encoding | null, HttpResponse>();
  const encode = (encoding: Encoding | null): HttpResponse => {
    if (encoding === null) return { ...response, headers, body: isLargeBody(body) ? body : new Blob([body]) };
    const { level, compress } = COMPRESSORS[encoding];
    const bytes = compress(bytesOfBody(body), length > FAST_LEVEL_BYTES ? FAST_LEVEL : level);
    return { ...response, headers: headersOf(headers, encoding), body: new Blob([new Uint8Array(bytes)]) };
  };
  return {
    ...response,
    headers,
    body: null,
    encodedFor: (accepts) =>
      encoded.getOrInsertComputed(isWorthwhile && accepts !== null ? bestEncoding(accepts) : null, encode),
  };
}

function headersOf(plain: Headers, encoding: Encoding): Headers {
  const headers = new Headers(plain);
  headers.set("content-encoding", encoding);
  const etag = headers.get("etag");
  if (etag) headers.set("etag", etag.replace(/"$/, `-${encoding}"`));
  return headers;
}

/** @returns null to send the body uncompressed (RFC 9110 12.5.3) */
function bestEncoding(accepts: string): Encoding | null {
  const weights = parseAcceptEncoding(accepts);
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const names = (Object.keys(COMPRESSORS) as Encoding[]).filter((name) => weightOf(name) > 0);
  return names.toSorted((one, other) => weightOf(other) - weightOf(one))[0] ?? null;
}

function parseAcceptEncoding(accepts: string): Map<string, number> {
  const items = accepts.toLowerCase().split(",");
  return new Map(
    items.map((item) => {
      const [name = "", weight] = item.split(";").map((part) => part.trim());
      return [name, weight?.startsWith("q=") ? Number(weight.slice("q=".length)) || 0 : 1];
    }),
  );
}
