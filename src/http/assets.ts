import { Elysia } from "elysia";

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

export const assetRoute = ({ path, contentType, content }: Asset) =>
  new Elysia().get(path, () => {
    const headers = {
      "content-type": contentType,
      "cache-control": `public, max-age=${KEPT_FOR}, immutable`,
      "x-content-type-options": "nosniff",
    };
    return new Response(content, { headers });
  });
