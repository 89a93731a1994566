import type { Parser } from "htmlparser2";

/**
 * Calls `onTag` for each start tag of untrusted HTML. Keeps no stack of open elements, because such a stack
 * takes minutes for a megabyte of unclosed elements.
 */
export function readStartTags(
  html: string,
  onTag: (name: string, attributes: Record<string, string>, parser: Parser) => void,
): void {
  // Loaded on first use, to keep startup fast.
  const { Parser: HtmlParser } = require("htmlparser2") as typeof import("htmlparser2");
  class StartTagParser extends HtmlParser {
    protected override isVoidElement(): boolean {
      return true;
    }
  }
  const parser: Parser = new StartTagParser({
    onopentag: (name, attributes) => onTag(name, attributes, parser),
  });
  parser.end(html);
}
