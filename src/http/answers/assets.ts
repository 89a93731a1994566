import type { Answer } from "./answer";
import { CACHING } from "./caching";
import { packable } from "./compression";

/** Characters of the content's hash in the address. */
const HASH_LENGTH = 12;

/** A file that comes with the program. Import a stylesheet `with { type: "text" }`, so that the executable carries it. */
export interface Asset {
  /** "/assets/style.3f9a….css": another one whenever the content is. */
  path: string;
  content: string;
  /** Made on first use: mostly only the path is needed. */
  readonly answer: Answer;
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
  let answer: Answer | undefined;
  return {
    path: `/assets/${name}.${hash}.${ending}`,
    content,
    get answer() {
      answer ??= assetAnswer(contentType, content);
      return answer;
    },
  };
}

function assetAnswer(contentType: string, content: string): Answer {
  const headers = new Headers({
    "content-type": `${contentType}; charset=utf-8`,
    "cache-control": CACHING.forGood,
    "x-content-type-options": "nosniff",
  });
  return packable({ status: 200, headers, body: content });
}
