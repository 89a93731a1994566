import { isPictureAddress } from "../content/content-pictures";
import { proseOf } from "../content/markdown-pictures";
import { addressInSource } from "../items/imported-item";
import type { Source } from "../sources/source";

/** In characters, between the brackets. */
const LINK = /(!?)\[\[([^[\]|#\n]{1,300})(#[^[\]|\n]{0,300})?(?:\|([^[\]\n]{0,300}))?\]\]/g;

/** The name of a file, in small letters → where it is. */
export type VaultFiles = Map<string, string>;

export function vaultFiles({ paths }: Source): VaultFiles {
  return new Map(paths.map((path) => [path.slice(path.lastIndexOf("/") + 1).toLowerCase(), path]));
}

/** `[[Another note|words]]` and `![[picture.png]]`, as Obsidian and others have them, as Markdown: found by name, wherever they lie. */
export function plainLinks(text: string, files: VaultFiles): string {
  if (!text.includes("[[")) return text;
  let done = "";
  let copied = 0;
  for (const { start, end } of proseOf(text)) {
    done += text.slice(copied, start) + replaced(text.slice(start, end), files);
    copied = end;
  }
  return done + text.slice(copied);
}

function replaced(text: string, files: VaultFiles): string {
  return text.replace(LINK, (whole, mark: string, target: string, _heading, words?: string) => {
    const name = target.slice(target.lastIndexOf("/") + 1).trim();
    const file = files.get(name.toLowerCase());
    if (mark && file && isPictureAddress(file)) return picture(file, words ?? "");
    const note = files.get(`${name.toLowerCase()}.md`);
    if (note === undefined) return whole;
    const path = note.replace(/\.md$/, "").split("/").map(encodeURIComponent).join("/");
    return `[${escaped(words || name)}](/${path.toLowerCase()}/)`;
  });
}

/** Behind the bar stands how wide it is to be, or what it shows. */
function picture(file: string, words: string): string {
  const alt = /^[\dx]*$/.test(words) ? "" : words;
  return `![${escaped(alt)}](<${addressInSource(file)}>)`;
}

function escaped(words: string): string {
  return words.replace(/[[\]\\]/g, "\\$&");
}
