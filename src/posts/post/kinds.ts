import { IN_INDEX_OF_KINDS, KINDS, MARKS } from "../../database/schema";

const MARKED = Object.keys(MARKS);

/** The condition "is of this kind", of a row of `posts`; nothing is of an unknown one. All but articles are found along `posts_of_kind`. */
export function isOfKind(kind: string): string {
  if (kind === "article") return `title <> '' and (properties = '{}' or ${KINDS} = 0)`;
  const isFound = kind === "note" ? `${KINDS} = 1` : `(${KINDS}) & ${maskOf(kind)} <> 0`;
  return `${IN_INDEX_OF_KINDS} and ${isFound}`;
}

function maskOf(kind: string): number {
  const number = MARKED.indexOf(kind);
  return number < 0 ? 0 : 2 ** (number + 1);
}
