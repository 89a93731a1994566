import { promisify } from "node:util";
import { MEGABYTE } from "../../config/units";
import { type Bytes, bytesOf, type HttpResponse, reusableResponse } from "./response";

/** Below this, in bytes, compressing saves no packet. */
const SMALLEST = 1000;

type Encoding = "zstd" | "br" | "gzip";

/** Above this, in bytes, what is sent is packed beside the server. */
const LARGE = 256 * 1024;
/** Above this, in bytes, it is packed less tightly: a fifth larger, and ten times as fast. */
const HUGE = MEGABYTE;

interface Packer {
  /** Its level for what is not huge. */
  tightly: number;
  pack(body: Bytes, level: number): Uint8Array;
  /** In another thread. */
  packBeside(body: Bytes, level: number): Promise<Uint8Array>;
}

/** Of every encoding. */
const QUICKLY = 1;

const PACKERS: Record<Encoding, Packer> = {
  zstd: {
    tightly: 9,
    pack: (body, level) => Bun.zstdCompressSync(body, { level }),
    packBeside: (body, level) => Bun.zstdCompress(body, { level }),
  },
  br: {
    tightly: 5,
    pack: (body, level) => zlib().brotliCompressSync(body, quality(level)),
    packBeside: (body, level) => promisify(zlib().brotliCompress)(body, quality(level)),
  },
  gzip: {
    tightly: 6,
    pack: (body, level) => Bun.gzipSync(body, { level: level as 1 | 6 }),
    packBeside: (body, level) => promisify(zlib().gzip)(body, { level }),
  },
};

const quality = (level: number) => ({ params: { [zlib().constants.BROTLI_PARAM_QUALITY]: level } });

/** Loaded at the first page for who takes no zstd: it would be a tenth of every start. */
const zlib = () => require("node:zlib") as typeof import("node:zlib");

const PACKABLE = /^(text\/|application\/(json|.*\+json|.*\+xml|xml|javascript)|image\/svg)/;

/**
 * Gives the answer a form for each encoding, made when it is first asked for and kept; each has its own entity tag
 * (RFC 9110 8.8.3.3). For the plain form see `reusableResponse`.
 * @param onMade is told of each that is made
 */
export function compressible(
  answer: HttpResponse<string | Bytes>,
  onMade: (form: Blob) => void = () => {},
): HttpResponse {
  const { body } = answer;
  const headers = new Headers(answer.headers);
  headers.append("vary", "accept-encoding");
  const whole = { ...answer, headers };
  const plain = reusableResponse(whole, onMade);
  const length = Buffer.byteLength(body);
  const isPacked = length >= SMALLEST && PACKABLE.test(headers.get("content-type") ?? "");
  const isLarge = length > LARGE;
  const levelOf = ({ tightly }: Packer) => (length > HUGE ? QUICKLY : tightly);
  const forms: Partial<Record<Encoding, HttpResponse<Blob>>> = {};
  const encodingFor = (accepts: string | null) =>
    isPacked && accepts !== null ? bestEncoding(accepts) : null;
  const keep = (encoding: Encoding, bytes: Uint8Array): HttpResponse => {
    const made = packedAs(whole, encoding, bytes);
    forms[encoding] = made;
    onMade(made.body);
    return made;
  };
  const beingPacked: Partial<Record<Encoding, Promise<unknown>>> = {};
  const ready = (accepts: string | null): Promise<unknown> | undefined => {
    const encoding = isLarge ? encodingFor(accepts) : null;
    if (encoding === null || forms[encoding]) return undefined;
    const packer = PACKERS[encoding];
    beingPacked[encoding] ??= packer
      .packBeside(bytesOf(body), levelOf(packer))
      .then((bytes) => keep(encoding, bytes))
      .finally(() => delete beingPacked[encoding]);
    return beingPacked[encoding];
  };
  const formFor = (accepts: string | null): HttpResponse => {
    const encoding = encodingFor(accepts);
    if (encoding === null) return plain.formFor?.(null) ?? plain;
    const packer = PACKERS[encoding];
    return forms[encoding] ?? keep(encoding, packer.pack(bytesOf(body), levelOf(packer)));
  };
  return { ...plain, formFor, ready };
}

/** Accept-Encoding → `bestEncoding`. Browsers send three or four different ones. */
const bestEncodings = new Map<string, Encoding | null>();
const MOST_BEST_ENCODINGS = 100;

/** The best encoding that the client takes (RFC 9110 12.5.3), or null to send the body as it is. */
function bestEncoding(accepts: string): Encoding | null {
  let best = bestEncodings.get(accepts);
  if (best === undefined) {
    best = weighed(accepts);
    if (bestEncodings.size >= MOST_BEST_ENCODINGS) bestEncodings.clear();
    bestEncodings.set(accepts, best);
  }
  return best;
}

function weighed(accepts: string): Encoding | null {
  const weights = weightsIn(accepts);
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const names = (Object.keys(PACKERS) as Encoding[]).filter((name) => weightOf(name) > 0);
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

function packedAs(
  { status, headers }: HttpResponse,
  encoding: Encoding,
  bytes: Uint8Array,
): HttpResponse<Blob> {
  const own = new Headers(headers);
  own.set("content-encoding", encoding);
  const etag = headers.get("etag");
  if (etag) own.set("etag", etag.replace(/"$/, `-${encoding}"`));
  return { status, headers: own, body: new Blob([new Uint8Array(bytes)]) };
}
