import type { HLJSApi } from "highlight.js";
import { MAX_HTML_BYTES } from "../post/post";

export const OFFERED_LANGUAGES =
  `bash c cpp css diff go html java javascript json kotlin lua markdown php python ruby rust sql swift
  toml typescript yaml`.split(/\s+/);

/** Loaded on first use, because the grammars slow down the start. */
const highlighter = (): HLJSApi => require("highlight.js/lib/common");

/** In characters. Some grammars take cubic time. */
const MAX_BLOCK_LENGTH = 10_000;
const MAX_LINE_LENGTH = 500;

/** For sanitized HTML only: its texts and attribute values contain no `<` or `>`. */
const BLOCK = /(<pre[^>]*>\s*<code class="language-([\w+#.-]+)">)([\s\S]*?)(?=<\/code>)/g;
const SPANS = /<\/?span>/g;
const OVERLONG_LINE = new RegExp(`[^\\n]{${MAX_LINE_LENGTH + 1}}`);

const CHARACTERS: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };

export function highlightCode(sanitised: string): string {
  const html = sanitised.replace(BLOCK, (block, start: string, language: string, marked: string) => {
    const code = marked.replace(SPANS, "");
    const isTooLong = code.length > MAX_BLOCK_LENGTH || OVERLONG_LINE.test(code);
    if (isTooLong || code.includes("<") || !highlighter().getLanguage(language)) return block;
    return start + highlight(code, language);
  });
  return Buffer.byteLength(html) > MAX_HTML_BYTES ? sanitised : html;
}

function highlight(code: string, language: string): string {
  const text = code.replace(/&(?:lt|gt|quot|amp);/g, (entity) => CHARACTERS[entity] as string);
  const { value } = highlighter().highlight(text, { language, ignoreIllegals: true });
  return value.replaceAll("&#x27;", "'");
}
