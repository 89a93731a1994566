import { posix } from "node:path";
import { capitalize } from "../../../text/clean-text";
import { isMediaUrl } from "../items/html-content";
import { sourceFileUrl } from "../items/imported-item";
import { findProseRanges, replaceRanges } from "../items/markdown-content";
import type { Source } from "../sources/source-files";

const LINK = /(!?)\[\[([^[\]|#\n]{1,300})(#[^[\]|\n]{0,300})?(?:\|([^[\]\n]{0,300}))?\]\]/g;

type VaultFiles = Map<string, string>;

export function indexVaultFiles({ paths }: Source): VaultFiles {
  return new Map(paths.map((path) => [posix.basename(path).toLowerCase(), path]));
}

/** Converts `[[Note|words]]`, `![[image.png]]` and `==marked==`. Finds notes and files by name. */
export function convertObsidianMarkup(text: string, files: VaultFiles, lost: string[]): string {
  const withoutComments = text.replace(CODE_OR_COMMENT, (found) => {
    if (!found.startsWith("%%")) return found;
    lost.push("comments between %%");
    return "";
  });
  return replaceInProse(withoutComments, (prose) =>
    replaceLinks(prose.replace(MARKED, "<mark>$1</mark>"), files),
  );
}

/** Converts `> [!note]- Title` to a `[!NOTE]` callout with a bold title. */
export function convertCallouts(text: string): string {
  if (!text.includes("[!")) return text;
  return replaceInProse(text, (prose) =>
    prose.replace(CALLOUT, (_, quote: string, kind: string, title: string) => {
      const words = title.trim() || capitalize(kind.toLowerCase().replaceAll("-", " "));
      return `${quote} [!NOTE]\n${quote} **${words}**\n${quote}`;
    }),
  );
}

const CALLOUT =
  /^((?: {0,3}>[ \t]?){0,9}? {0,3}>)[ \t]?\[!([a-z][a-z-]{0,30})\][+-]?([^\n]{0,1000})(?=\n|$)/gim;
const MARKED = /(?<![=\\])==(?![=\s])([^=\n]{1,2000}?)(?<![=\s])==(?!=)/g;

/** Also matches code, which may contain "%%". */
const CODE_OR_COMMENT = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|(?![\s\S]))|`[^`\n]*`|(?<!\S)%%[\s\S]*?%%/gm;

function replaceInProse(text: string, change: (prose: string) => string): string {
  return replaceRanges(text, findProseRanges(text), ({ start, end }) => change(text.slice(start, end)));
}

function replaceLinks(text: string, files: VaultFiles): string {
  return text.replace(LINK, (whole, mark: string, target: string, _heading, words?: string) => {
    const name = posix.basename(target).trim().normalize("NFC");
    const file = files.get(name.toLowerCase());
    if (mark && file && isMediaUrl(file)) {
      const isSize = /^[\dx]*$/.test(words ?? "");
      return `![${isSize ? "" : escaped(words ?? "")}](<${sourceFileUrl(file)}>)`;
    }
    const note = files.get(`${name.toLowerCase()}.md`);
    if (note === undefined) return whole;
    const path = note.replace(/\.md$/, "").split("/").map(encodeURIComponent).join("/");
    return `[${escaped(words || name)}](/${path.toLowerCase()}/)`;
  });
}

function escaped(words: string): string {
  return words.replace(/[[\]\\]/g, "\\$&");
}
