/** The alt text readers are given: the post's entry, even an empty one, else the upload's caption (interface.md Alt text 4). */
export function altOf(blob: { filename: string; caption: string }, altText: Record<string, string>): string {
  return Object.hasOwn(altText, blob.filename) ? (altText[blob.filename] as string) : blob.caption;
}
