import { marked } from "marked";

/** This script is loaded only when Markdown is pasted. */
export function htmlOfPasted(markdown: string): string {
  return marked.parse(markdown, { async: false, gfm: true });
}
