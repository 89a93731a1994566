import { isRootSegment } from "../../../blogs/reserved-slugs";
import { decodedPath } from "../items/imported-item";

/** In characters: longer ones nobody has ever linked to. */
const LONGEST = 500;

/** "https://old.example/2013/05/tea/" → "2013/05/tea", ".../?p=7" → "?p=7"; null where nothing can lead from there. */
export function formerPath(address: string): string | null {
  const url = URL.parse(address, "http://somewhere.example/");
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const [, number] = /^\?((?:p|page_id)=\d{1,15})$/.exec(url.search) ?? [];
  const path = decodedPath(url.pathname).replace(/^\/|\/$/g, "");
  if (path === "" && number) return `?${number}`;
  return path === "" || path.length > LONGEST ? null : path;
}

/** Is it answered by something else here, whatever post was there? */
export function isTaken(path: string): boolean {
  const [first = ""] = path.split("/");
  return isRootSegment(first) || first.startsWith("@");
}

/** What the address ends with, as a wish for the one here: "2013/05/tea.html" → "tea". */
export function slugIn(path: string | undefined): string | null {
  if (path === undefined || path.startsWith("?")) return null;
  const last = path.split("/").at(-1) as string;
  return last.replace(/\.(?:html?|php|aspx?)$/i, "") || null;
}
