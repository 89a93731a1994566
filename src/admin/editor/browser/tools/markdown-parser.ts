import { marked } from "marked";

/** A script of its own: most who write never need it. */
export function htmlOfPasted(markdown: string): string {
  return marked.parse(markdown, { async: false, gfm: true });
}
