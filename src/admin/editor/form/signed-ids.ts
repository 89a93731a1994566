/** A signed id's end, in characters; ours have under 200. Few words have it, and each word its beginning. */
const END_OF_SGID = /\.[\w-]{20,100}/g;
const LONGEST_BEGINNING = 60;
const BEGINNING_OF_SGID = /[\w-]{4,60}$/;

/** What in a content may be a signed id of a file. */
export function sgidsIn(content: string): string[] {
  return [...content.matchAll(END_OF_SGID)].flatMap(({ 0: end, index }) => {
    const before = content.slice(Math.max(0, index - LONGEST_BEGINNING), index);
    const [beginning] = BEGINNING_OF_SGID.exec(before) ?? [];
    return beginning === undefined ? [] : [beginning + end];
  });
}
