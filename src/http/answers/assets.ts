import { Elysia } from "elysia";
import { type Encoding, encodingFor, pack } from "./compression";

/** Characters of the content's hash in the address. */
const HASH_LENGTH = 12;
/** A year, in seconds: an asset that changes gets another address. */
const KEPT_FOR = 31_536_000;

/** A file that comes with the program. Import it `with { type: "text" }`, so that the executable carries it. */
export interface Asset {
  /** "/assets/style.3f9a….css": another one whenever the content is. */
  path: string;
  contentType: string;
  content: string;
}

export function stylesheet(name: string, content: string): Asset {
  const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, HASH_LENGTH);
  return { path: `/assets/${name}.${hash}.css`, contentType: "text/css; charset=utf-8", content };
}

export const assetRoute = (asset: Asset) =>
  new Elysia({ name: asset.path }).get(asset.path, ({ request }) => sendAsset(request, asset));

/** An asset as its address promises: kept for good, compressed where the client takes that. */
export function sendAsset(request: Request, asset: Asset): Response {
  const body = Buffer.from(asset.content);
  const encoding = encodingFor(request.headers.get("accept-encoding"), asset.contentType, body.length);
  const headers = {
    "content-type": asset.contentType,
    "cache-control": `public, max-age=${KEPT_FOR}, immutable`,
    "x-content-type-options": "nosniff",
    vary: "accept-encoding",
  };
  if (!encoding) return new Response(body, { headers });
  const packed = packedOnce(asset, body, encoding);
  return new Response(packed, { headers: { ...headers, "content-encoding": encoding } });
}

const packings = new WeakMap<Asset, Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>>();

function packedOnce(asset: Asset, body: Uint8Array, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const known = packings.get(asset) ?? {};
  packings.set(asset, known);
  known[encoding] ??= new Uint8Array(pack(body, encoding));
  return known[encoding];
}
