import { LIBRARY_FILTERS, type LibraryFilter } from "../../posts/library/library-list";

/** In characters; filenames have at most 150 bytes. */
const LONGEST_SEARCH = 150;

/** What the library is asked for, as its address says it. */
export interface LibraryQuery {
  part: LibraryFilter;
  search: string;
  /** The id that all files shown are older than; null: the newest. */
  before: number | null;
}

/** What makes no sense is as if it had not been asked. */
export function libraryQueryIn(params: URLSearchParams): LibraryQuery {
  return {
    part: LIBRARY_FILTERS.find((part) => part === params.get("show")) ?? "all",
    search: (params.get("search") ?? "").trim().slice(0, LONGEST_SEARCH),
    before: idIn(params.get("before")),
  };
}

/** The address of the library with these changes; unless they say otherwise it begins with the newest. */
export function libraryAddress(
  path: string,
  query: LibraryQuery,
  changes: Partial<LibraryQuery> = {},
): string {
  const { part, search, before } = { ...query, before: null, ...changes };
  const said = { search, show: part === "all" ? "" : part, before: before === null ? "" : String(before) };
  const params = new URLSearchParams(Object.entries(said).filter(([, value]) => value !== ""));
  return params.size > 0 ? `${path}?${params}` : path;
}

/** Null for what is none. */
export function idIn(text: string | null): number | null {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
