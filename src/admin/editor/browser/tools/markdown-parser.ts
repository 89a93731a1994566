import { marked } from "marked";

/** A separate script, loaded when Markdown is pasted. */
export function htmlOfPasted(markdown: string): string {
  return marked.parse(markdown, { async: false, gfm: true });
}
