import { withEncodings } from "./compression";
import { CACHE_CONTROL, type HttpResponse } from "./response";

const HASH_LENGTH = 12;

/** Import the file `with { type: "text" }`, so that the executable contains it. */
export interface Asset {
  path: string;
  content: string;
  responseFor(requestedPath: string): HttpResponse;
}

export function stylesheet(name: string, content: string): Asset {
  return createAsset(name, "css", "text/css", content);
}

export function script(name: string, content: string): Asset {
  return createAsset(name, "js", "text/javascript", content);
}

// Own code, because @elysiajs/static does not compress, sends unquoted ETags, and responds with 404 to old
// hashes.
function createAsset(name: string, extension: string, contentType: string, content: string): Asset {
  const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, HASH_LENGTH);
  const path = `/assets/${name}.${hash}.${extension}`;
  const responseWith = (caching: string) => {
    const headers = new Headers({
      "content-type": `${contentType}; charset=utf-8`,
      "cache-control": caching,
    });
    return withEncodings({ status: 200, headers, body: content });
  };
  const current = responseWith(CACHE_CONTROL.immutable);
  // A URL with the hash of another version must not be cached with this content for a year.
  const other = responseWith(CACHE_CONTROL.publicNoCache);
  return { path, content, responseFor: (requestedPath) => (requestedPath === path ? current : other) };
}
