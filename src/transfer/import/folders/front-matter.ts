/** What stands above a text, by name. */
export type FrontMatter = Record<string, unknown>;

export interface FrontedText {
  /** null: there is none. */
  matter: FrontMatter | null;
  body: string;
  /** What is wrong with the front matter, which was read line by line then, and from which line of the file on. */
  fault?: string;
}

/** In characters: what is longer is no front matter. */
const LONGEST = 2_000_000;
/** In characters: for the line at fault, its beginnings are read again and again. */
const LONGEST_SEARCHED = 5000;

const YAML = {
  name: "YAML",
  mark: "---",
  end: /^(?:---|\.\.\.[ \t]{0,9}$)/m,
  sign: ":",
  parse: Bun.YAML.parse,
};
const TOML = { name: "TOML", mark: "+++", end: /^\+\+\+/m, sign: "=", parse: Bun.TOML.parse };
type Language = typeof YAML | typeof TOML;

/**
 * YAML between lines of `---`, TOML between lines of `+++`, or JSON. What calls itself YAML or TOML and is not, with
 * colons and quotes that nobody has escaped, is read line by line: a draft whose title lacks a quote stays a draft.
 */
export function frontedText(text: string): FrontedText {
  const lineEnd = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  const plain = lineEnd.trimStart();
  if (plain.startsWith("---")) return between(plain, YAML);
  if (plain.startsWith("+++")) return between(plain, TOML);
  if (plain.startsWith("{")) return jsonAbove(plain);
  return { matter: null, body: lineEnd };
}

function between(text: string, language: Language): FrontedText {
  const { mark, end } = language;
  const start = text.indexOf("\n") + 1;
  const isAlone = start > 0 && text.slice(0, start).trim() === mark;
  const rest = isAlone ? text.slice(start, start + LONGEST) : "";
  const found = end.exec(rest);
  const read = found && readOrLines(rest.slice(0, found.index), language);
  if (!found || !read || isProse(rest, read.matter)) return { matter: null, body: text };
  const after = text.indexOf("\n", start + found.index);
  return { ...read, body: after < 0 ? "" : text.slice(after + 1) };
}

/** "Note: …" in a paragraph of its own, between two lines that are drawn. */
function isProse(text: string, matter: FrontMatter | null): boolean {
  const names = Object.keys(matter ?? {});
  return /^[ \t]*\n/.test(text) && names.length > 0 && !names.some((name) => IN_EVERY_MATTER.test(name));
}

/** null: nothing in it has a name; it is text between two lines that are drawn. */
function readOrLines(text: string, language: Language): Pick<FrontedText, "matter" | "fault"> | null {
  const { name, sign } = language;
  const read = parsed(text, language);
  if (isObject(read)) return { matter: read };
  const matter = linesIn(text, sign);
  if (read !== null && Object.keys(matter).length === 0) return null;
  if (read !== undefined) return { matter };
  const line = lineAtFault(text, language);
  const where = line === null ? "" : ` in line ${line}`;
  return { matter, fault: `its front matter is no ${name}${where}, and was read line by line.` };
}

/** Undefined where it cannot be read. */
function parsed(text: string, { parse }: Language): unknown {
  try {
    return parse(text) ?? null;
  } catch {
    return undefined;
  }
}

/** Of the file, from 1: the one behind the longest beginning that can be read. */
function lineAtFault(text: string, language: Language): number | null {
  if (text.length > LONGEST_SEARCHED) return null;
  const lines = text.split("\n");
  const isRead = (_: string, at: number) => parsed(lines.slice(0, at).join("\n"), language) !== undefined;
  // The mark stands above the first.
  return lines.findLastIndex(isRead) + 2;
}

/** `title: My "first": post`, as it stands. */
export function linesIn(text: string, sign = ":"): FrontMatter {
  const matter: FrontMatter = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(sign);
    const name = line.slice(0, at).trim();
    if (at < 1 || !/^[\w .-]{1,60}$/.test(name)) continue;
    const value = line.slice(at + 1).trim();
    matter[name] = listIn(value) ?? (/^"[\s\S]*"$|^'[\s\S]*'$/.test(value) ? value.slice(1, -1) : value);
  }
  return matter;
}

function listIn(value: string): unknown[] | null {
  if (!value.startsWith("[")) return null;
  try {
    return JSON.parse(value) as unknown[];
  } catch {
    return null;
  }
}

/** One of these is in every front matter; an object without any is an example that a text begins with. */
const IN_EVERY_MATTER = /^(?:title|date|publishDate|draft|slug|aliases|tags|categories|layout|params)$/;

/** In one line or in several; nothing else stands in its last. */
function jsonAbove(text: string): FrontedText {
  const end = endOfObject(text);
  try {
    const [rest, body = ""] = /^[ \t]*(?:\n([\s\S]*))?$/.exec(text.slice(end)) ?? [];
    const read = end < 0 || rest === undefined ? null : JSON.parse(text.slice(0, end));
    if (isObject(read) && Object.keys(read).some((name) => IN_EVERY_MATTER.test(name)))
      return { matter: read, body };
  } catch {
    // A text that begins with a brace.
  }
  return { matter: null, body: text };
}

/** Behind the brace that closes the first; -1: there is none. Those in strings are none. */
function endOfObject(text: string): number {
  let [depth, isString] = [0, false];
  for (let at = 0; at < Math.min(text.length, LONGEST); at++) {
    const sign = text[at];
    if (sign === "\\") at++;
    else if (sign === '"') isString = !isString;
    else if (!isString && sign === "{") depth++;
    else if (!isString && sign === "}" && --depth === 0) return at + 1;
  }
  return -1;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of these names that says something, as text. */
export function textNamed(matter: FrontMatter, ...names: string[]): string {
  const value = names
    .map((name) => matter[name])
    .find((one) => one !== undefined && one !== null && one !== "");
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** A list, or one text: with commas between, or else what stands between spaces where `spaces` says so. */
export function textsNamed(matter: FrontMatter, names: string[], { spaces = false } = {}): string[] {
  return names.flatMap((name) => textsIn(matter[name], spaces));
}

function textsIn(value: unknown, spaces: boolean): string[] {
  const list = Array.isArray(value)
    ? value.map((one) => (isObject(one) ? (one.name ?? one.title ?? "") : one))
    : typeof value === "string"
      ? value.split(value.includes(",") ? "," : spaces ? /\s+/ : "\n")
      : typeof value === "number"
        ? [value]
        : [];
  return list
    .filter((one) => typeof one === "string" || typeof one === "number")
    .map((one) => String(one).trim())
    .filter(Boolean);
}

export function isYes(value: unknown): boolean {
  return value === true || /^(?:true|yes|1)$/i.test(String(value));
}

export function isNo(value: unknown): boolean {
  return value === false || /^(?:false|no|0)$/i.test(String(value));
}
