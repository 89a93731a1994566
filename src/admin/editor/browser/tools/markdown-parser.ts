import { marked } from "marked";

/** This script runs only when Markdown is pasted. */
export function htmlOfPasted(markdown: string): string {
  return marked.parse(markdown, { async: false, gfm: true });
}
