import { marked } from "marked";

/** A script of its own, because the editor needs this large parser only for pasted Markdown. */
export function htmlOfPasted(markdown: string): string {
  return marked.parse(markdown, { async: false, gfm: true });
}
