import type { ItemFault } from "./imported-item";

/** What cannot be read of a JSON file, by the title that its text begins with. @param what in the file: "a post in it" */
export function unreadable(
  { beginning, isTooLong }: { beginning: string; isTooLong: boolean },
  path: string,
  what: string,
): ItemFault {
  const [, title] = /"title"\s{0,9}:\s{0,9}("(?:[^"\\]|\\.){1,500}")/.exec(beginning) ?? [];
  const why = isTooLong ? "is longer than any post can be." : "cannot be read.";
  const name = title && textIn(title);
  return name ? { name, why } : { name: path, why: `${what} ${why}` };
}

function textIn(json: string): string {
  try {
    return String(JSON.parse(json)).trim();
  } catch {
    return "";
  }
}
