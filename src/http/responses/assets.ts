import { CACHE_CONTROL } from "./cache-control";
import { compressible } from "./compression";
import type { HttpResponse } from "./response";

/** Characters of the content's hash in the address. */
const HASH_LENGTH = 12;

/** A file that comes with the program. Import a stylesheet `with { type: "text" }`, so that the executable carries it. */
export interface Asset {
  /** "/assets/style.3f9a….css": another one whenever the content is. */
  path: string;
  content: string;
  /** Made on first use: mostly only the path is needed. @param path as it was asked */
  answerAt(path: string): HttpResponse;
}

export function stylesheet(name: string, content: string): Asset {
  return asset(name, "css", "text/css", content);
}

/** @param content one that was bundled (see owner/scripts) */
export function script(name: string, content: string): Asset {
  return asset(name, "js", "text/javascript", content);
}

function asset(name: string, ending: string, contentType: string, content: string): Asset {
  const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, HASH_LENGTH);
  const path = `/assets/${name}.${hash}.${ending}`;
  const answers = new Map<string, HttpResponse>();
  return {
    path,
    content,
    answerAt(asked) {
      // Kept for good at another address, it would stand in the place of what that one names before or after.
      const caching = asked === path ? CACHE_CONTROL.forGood : CACHE_CONTROL.asking;
      return answers.getOrInsertComputed(caching, () => assetAnswer(contentType, content, caching));
    },
  };
}

function assetAnswer(contentType: string, content: string, caching: string): HttpResponse {
  const headers = new Headers({
    "content-type": `${contentType}; charset=utf-8`,
    "cache-control": caching,
    "x-content-type-options": "nosniff",
  });
  return compressible({ status: 200, headers, body: content });
}
