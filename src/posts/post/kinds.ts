import { IN_INDEX_OF_KINDS, KINDS, MARKS } from "../../database/schema";

const MARKED = Object.keys(MARKS);

/** As the index posts_by_title has titles: few of them are found along it. */
export const IS_TITLED = "title collate nocase > ''";

/** The condition "is of this kind", of a row of `posts`; nothing is of an unknown one. All but articles are found along `posts_of_kind`. */
export function isOfKind(kind: string): string {
  if (kind === "article") return `${IS_TITLED} and (properties = '{}' or ${KINDS} = 0)`;
  const isFound = kind === "note" ? `${KINDS} = 1` : `(${KINDS}) & ${maskOf(kind)} <> 0`;
  return `${IN_INDEX_OF_KINDS} and ${isFound}`;
}

function maskOf(kind: string): number {
  const number = MARKED.indexOf(kind);
  return number < 0 ? 0 : 2 ** (number + 1);
}
