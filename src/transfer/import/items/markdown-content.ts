import { type ContentMedia, type ContentWithMedia, findHtmlMedia, isMediaUrl } from "./html-content";

const MAX_PART_LENGTH = 4000;
const MAX_DEPTH = 32;

interface MediaRange {
  start: number;
  end: number;
  /** Index of the link target, because a search for the URL might find an equal alt text. */
  target: number;
  picture: Pick<ContentMedia, "address" | "alt" | "caption">;
  link?: string;
  replacement: string;
}

/** Finds `<img>`, `![alt][name]` and `![alt](url "caption")`, also inside a link. Ignores code. */
export function findMarkdownMedia(markdown: string): ContentWithMedia {
  const ranges = rangesIn(markdown);
  return {
    pictures: ranges.map((range) => ({
      ...range.picture,
      replace: (snippet) => {
        range.replacement = range.link ? `${snippet} ${range.link}` : snippet;
      },
      setUrl: (address) => {
        range.replacement =
          markdown.slice(range.start, range.target) + replaceTarget(markdown, range, address);
      },
    })),
    text: () => replaceRanges(markdown, ranges, ({ replacement }) => replacement),
  };
}

export function replaceRanges<Range extends { start: number; end: number }>(
  text: string,
  ranges: Iterable<Range>,
  replacementOf: (range: Range) => string,
): string {
  let replaced = "";
  let copied = 0;
  for (const range of ranges) {
    replaced += text.slice(copied, range.start) + replacementOf(range);
    copied = range.end;
  }
  return replaced + text.slice(copied);
}

/** Inserts the new URL inline, because other links may use the same link definition. */
function replaceTarget(markdown: string, { target, end, picture }: MediaRange, address: string): string {
  const oldTarget = markdown.slice(target, end);
  if (oldTarget !== "" && !oldTarget.startsWith("["))
    return oldTarget.replace(picture.address, () => address);
  const title = picture.caption && ` "${picture.caption.replaceAll('"', '\\"')}"`;
  return `(<${address}>${title})`;
}

function rangesIn(markdown: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  const definitions = targetsIn(markdown);
  let reached = 0;
  let paragraph = 0;
  for (const { start, end } of findProseRanges(markdown)) {
    for (let at = Math.max(start, reached); at < end; at = reached) {
      if (at >= paragraph) paragraph = endOfParagraph(markdown, at);
      const range = rangeAt(markdown, at, paragraph, definitions);
      if (range) ranges.push({ ...range, replacement: markdown.slice(range.start, range.end) });
      reached = range?.end ?? at + 1;
    }
  }
  return ranges;
}

const PARAGRAPH_END = /\n(?=[ \t]*(?:\n|```|~~~))/g;

function endOfParagraph(markdown: string, at: number): number {
  PARAGRAPH_END.lastIndex = at;
  return PARAGRAPH_END.exec(markdown) ? PARAGRAPH_END.lastIndex : markdown.length;
}

const CODE = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|(?![\s\S]))|(?<!\\)`[^`\n]*`/gm;

export function* findProseRanges(markdown: string): Generator<{ start: number; end: number }> {
  let start = 0;
  for (const { index, 0: code } of markdown.matchAll(CODE)) {
    if (index > start) yield { start, end: index };
    start = index + code.length;
  }
  if (start < markdown.length) yield { start, end: markdown.length };
}

type FoundRange = Omit<MediaRange, "replacement"> | null;

function rangeAt(text: string, at: number, end: number, definitions: Targets): FoundRange {
  const [here, next] = [text[at], text[at + 1]];
  if (here === "!" && next === "[") return pictureAt(text, at, end, definitions);
  if (here === "[" && next === "!" && text[at + 2] === "[")
    return linkedPictureAt(text, at, end, definitions);
  if (here === "<" && /^<img[\s/]/i.test(text.slice(at, at + 5))) return imageTagAt(text, at, end);
  return null;
}

function pictureAt(text: string, at: number, end: number, definitions: Targets): FoundRange {
  const alt = bracketed(text, at + 1, end, "[]");
  const target = alt && (targetAt(text, alt.end, end) ?? targetNamed(text, alt, end, definitions));
  if (!target || target.address === "") return null;
  const { address, title } = target;
  const picture = { address, alt: joinLines(unescaped(alt.inside)), caption: joinLines(title) };
  return { start: at, target: alt.end, end: target.end, picture };
}

function joinLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter(Boolean).join(" ");
}

function linkedPictureAt(text: string, at: number, end: number, definitions: Targets): FoundRange {
  const inside = pictureAt(text, at + 1, end, definitions);
  const link = inside && text[inside.end] === "]" ? targetAt(text, inside.end + 1, end) : null;
  if (!inside || !link || link.address === "") return null;
  const { picture } = inside;
  if (isMediaUrl(link.address))
    return { start: at, target: inside.end, end: link.end, picture: { ...picture, address: link.address } };
  // An image with a reference (`![alt][name]`) is found later, without its link.
  if (text[inside.target] !== "(") return null;
  // Images in Platen cannot be links, so the link follows the image.
  const words = `[${picture.alt || link.address}](<${link.address}>)`;
  return { start: at, target: inside.target, end: link.end, picture, link: words };
}

function imageTagAt(text: string, at: number, end: number): FoundRange {
  const near = text.slice(at, Math.min(end, at + MAX_PART_LENGTH));
  const length = near.indexOf(">") + 1;
  const [picture] = length > 0 ? findHtmlMedia(near.slice(0, length)).pictures : [];
  return picture ? { start: at, target: at, end: at + length, picture } : null;
}

/** Reads from a bracket to its counterpart. */
function bracketed(text: string, at: number, end: number, [open, close]: "[]" | "()"): Bracketed | null {
  let depth = 0;
  for (let index = at; index < end && index - at < MAX_PART_LENGTH && depth <= MAX_DEPTH; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === open) depth++;
    else if (text[index] === close && --depth === 0)
      return { inside: text.slice(at + 1, index), end: index + 1 };
  }
  return null;
}

interface Bracketed {
  inside: string;
  end: number;
}

interface Target {
  address: string;
  title: string;
}

type FoundTarget = Target & { end: number };
type Targets = Map<string, Target>;

/** The first definition of a name wins. */
function targetsIn(markdown: string): Targets {
  const all: Targets = new Map();
  const line = /^ {0,3}\[([^[\]\n]{1,200})\]:[ \t]{0,9}(\S.{0,1000})$/gm;
  for (const { start, end } of findProseRanges(markdown))
    for (const [, name = "", inside = ""] of markdown.slice(start, end).matchAll(line)) {
      const target = partsOf(inside.trim(), 0);
      if (target && !all.has(name.toLowerCase())) all.set(name.toLowerCase(), target);
    }
  return all;
}

function targetNamed(text: string, alt: Bracketed, end: number, definitions: Targets): FoundTarget | null {
  const name = text[alt.end] === "[" ? bracketed(text, alt.end, end, "[]") : null;
  const target = definitions.get(unescaped(name?.inside || alt.inside).toLowerCase());
  return target ? { ...target, end: name?.end ?? alt.end } : null;
}

function targetAt(text: string, at: number, end: number): FoundTarget | null {
  const parts = text[at] === "(" ? bracketed(text, at, end, "()") : null;
  return parts && partsOf(parts.inside.trim(), parts.end);
}

function partsOf(inside: string, end: number): FoundTarget | null {
  const space = inside.startsWith("<") ? inside.indexOf(">") + 1 : inside.search(/\s/);
  const address = space < 0 ? inside : inside.slice(0, space);
  const title = space < 0 ? "" : inside.slice(space).trim();
  if (title !== "" && !/^["'(]/.test(title)) return null;
  const bare = address.startsWith("<") ? address.slice(1, -1) : address;
  return { address: unescaped(bare), title: unescaped(title.slice(1, -1)), end };
}

function unescaped(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])/g, "$1");
}
