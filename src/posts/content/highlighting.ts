import type { HLJSApi } from "highlight.js";
import { maxHtmlBytes } from "../post/post-limits";

/** By the editor; any other that is known here can be typed. */
export const OFFERED_LANGUAGES =
  `bash c cpp css diff go html java javascript json kotlin lua markdown php python ruby rust sql swift
  toml typescript yaml`.split(/\s+/);

/** Loaded at the first code: loading the grammars would slow every start. */
const highlighter = (): HLJSApi => require("highlight.js/lib/common");

/**
 * Longer blocks, and blocks with longer lines, stay as they are; in characters. Some grammars take cubic time (C#: one
 * second for 10,000 characters), and all of a post's code is left as it is where its time is over.
 */
const LONGEST_BLOCK = 10_000;
const LONGEST_LINE = 500;

/** Sanitised HTML: `<` and `>` stand in tags only. What an earlier highlighting put there has lost its classes. */
const BLOCK = /(<pre[^>]*>\s*<code class="language-([\w+#.-]+)">)([\s\S]*?)(?=<\/code>)/g;
const SPANS = /<\/?span>/g;
const TOO_LONG_A_LINE = new RegExp(`[^\\n]{${LONGEST_LINE + 1}}`);

const CHARACTERS: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };

/**
 * Blocks of code that name their language, with their words marked by class (`hljs-keyword` and the like).
 * The same for the same code, whether it has been through here before or not; what would grow beyond all measure
 * comes back as it was.
 */
export function highlightCode(sanitised: string): string {
  const html = sanitised.replace(BLOCK, (block, start: string, language: string, marked: string) => {
    const code = marked.replace(SPANS, "");
    return isHighlightable(code, language) ? start + markedUp(code, language) : block;
  });
  return Buffer.byteLength(html) > maxHtmlBytes(Buffer.byteLength(sanitised)) ? sanitised : html;
}

function isHighlightable(code: string, language: string): boolean {
  if (code.length > LONGEST_BLOCK || TOO_LONG_A_LINE.test(code)) return false;
  return !code.includes("<") && highlighter().getLanguage(language) !== undefined;
}

function markedUp(code: string, language: string): string {
  const text = code.replace(/&(?:lt|gt|quot|amp);/g, (entity) => CHARACTERS[entity] as string);
  const { value } = highlighter().highlight(text, { language, ignoreIllegals: true });
  return value.replaceAll("&#x27;", "'");
}
