import { LIBRARY_FILTERS, type LibraryFilter } from "../../posts/library/library-list";

/** Filenames have at most 150 bytes. */
const MAX_FILENAME_SEARCH = 150;

export interface LibraryQuery {
  part: LibraryFilter;
  search: string;
  /** Only files with a smaller id; null: the newest. */
  before: number | null;
}

export function libraryQueryIn(params: URLSearchParams): LibraryQuery {
  return {
    part: LIBRARY_FILTERS.find((part) => part === params.get("show")) ?? "all",
    search: (params.get("search") ?? "").trim().slice(0, MAX_FILENAME_SEARCH),
    before: idIn(params.get("before")),
  };
}

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

export function idIn(text: string | null): number | null {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
