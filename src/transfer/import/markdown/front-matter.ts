import { literalsIn } from "./js-literals";

/** What stands above a text, by name. */
export type FrontMatter = Record<string, unknown>;

export interface FrontedText {
  /** Its names in small letters, as Hugo compares them; null: there is none. */
  matter: FrontMatter | null;
  body: string;
  /** Why the front matter cannot be read whole: what it says is not certain then, and nothing of it is published. */
  fault?: string;
}

/** In characters: what is longer is no front matter. */
const LONGEST = 2_000_000;
/** In characters: for the line at fault, its beginnings are read again and again. */
const LONGEST_SEARCHED = 5000;

interface Language {
  name: string;
  /** Of a text that is not of this language, a sentence without its subject. */
  fault: string;
  parse(text: string): unknown;
  /** What can be read of a text that is not of this language. */
  readLines(text: string): FrontMatter;
}

const YAML: Language = {
  ...{ name: "YAML", fault: "is no YAML" },
  ...{ parse: Bun.YAML.parse, readLines: (text) => linesIn(text) },
};
const TOML: Language = {
  ...{ name: "TOML", fault: "is no TOML" },
  ...{ parse: Bun.TOML.parse, readLines: (text) => linesIn(text, "=") },
};
const JSON5: Language = {
  ...{ name: "JSON", fault: "is no JSON" },
  parse: (text) => Bun.JSON5.parse(/^\s*\{/.test(text) ? text : `{${text}}`),
  readLines: () => ({}),
};
const JAVASCRIPT: Language = {
  ...{ name: "JavaScript", fault: "is JavaScript with more than plain values" },
  parse: fieldsOfProgram,
  readLines: (text) => literalsIn(text).fields,
};
const BY_MARK: Record<string, Language> = {
  ...{ "---": YAML, "---yaml": YAML, "---yml": YAML, "+++": TOML, "---toml": TOML },
  ...{ ";;;": JSON5, "---json": JSON5, "---js": JAVASCRIPT, "---javascript": JAVASCRIPT },
};
const ENDS: Record<string, RegExp> = { "---": /^---/m, "+++": /^\+\+\+/m, ";;;": /^;;;/m };
const YAML_END = /^(?:---|\.\.\.[ \t]{0,9}$)/m;

/**
 * YAML between lines of `---`, TOML between lines of `+++`, JSON, or plain literals of JavaScript below `---js`. What
 * cannot be read is read line by line and has a fault; it stands below the text then, so that nothing of it is lost.
 */
export function frontedText(text: string): FrontedText {
  const lineEnd = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  const plain = lineEnd.trimStart();
  const read = plain.startsWith("{") ? jsonAbove(plain) : (between(plain) ?? pelicanHeader(plain));
  const { matter, ...others } = read ?? { matter: null, body: lineEnd };
  return { matter: matter && smallNames(matter), ...others };
}

const PELICAN_FIELD =
  /^(?:title|date|modified|category|tags|keywords|slug|authors?|summary|status|lang|template|save_as|url)[ \t]{0,9}:/i;
const MAX_HEADER_LENGTH = 10_000;

/** Pelican writes `Title: …` lines without a mark; an empty line ends them. Indented lines continue a value. */
function pelicanHeader(text: string): FrontedText | null {
  if (!PELICAN_FIELD.test(text)) return null;
  const end = text.slice(0, MAX_HEADER_LENGTH).search(/\n[ \t]{0,9}(?:\n|$)/);
  const lines = text.slice(0, end < 0 ? text.length : end).replace(/\n[ \t]+(?=\S)/g, " ");
  const isHeader = lines.split("\n").every((line) => /^[a-z][\w-]{0,59}[ \t]{0,9}:/i.test(line));
  const matter = linesIn(lines);
  if (!isHeader || !Object.keys(matter).some((name) => /^(?:title|date)$/i.test(name))) return null;
  return { matter, body: end < 0 ? "" : text.slice(end).trimStart() };
}

/** A name that is written twice keeps its first value; a draft is one if any says so. */
export function smallNames(matter: FrontMatter): FrontMatter {
  const small: FrontMatter = {};
  for (const [name, value] of Object.entries(matter))
    if (!(name.toLowerCase() in small) || (/^draft$/i.test(name) && isYes(value)))
      small[name.toLowerCase()] = value;
  return small;
}

function between(text: string): FrontedText | null {
  const [line = "", mark = "", word = ""] =
    /^(---|\+\+\+|;;;)[ \t]*(?:([a-z][\w-]{0,19})[ \t]*)?\n/i.exec(text) ?? [];
  const language = BY_MARK[mark + word.toLowerCase()];
  const end = language === YAML ? YAML_END : ENDS[mark];
  if (!end) return null;
  const rest = text.slice(line.length, line.length + LONGEST);
  const found = end.exec(rest);
  if (!found) return language ? neverClosed(text, rest, language) : null;
  const written = rest.slice(0, found.index);
  const after = text.indexOf("\n", line.length + found.index);
  const body = after < 0 ? "" : text.slice(after + 1);
  if (language) return readBetween(written, body, language);
  // "--- Words" is a line that is drawn.
  return line.startsWith(mark + word)
    ? unread(written, body, word, `is in ${word}, which cannot be read`)
    : null;
}

function readBetween(written: string, body: string, language: Language): FrontedText | null {
  const { name, fault } = language;
  const read = parsed(written, language);
  const matter = isObject(read) ? read : language.readLines(written);
  if (isProse(written, matter)) return null;
  // Null is front matter of comments alone.
  if (isObject(read) || read === null || (read !== undefined && Object.keys(matter).length > 0))
    return { matter, body };
  if (read === undefined && (Object.keys(matter).length > 0 || ![YAML, TOML].includes(language))) {
    const line = lineAtFault(written, language);
    const where = line === null ? "" : ` in line ${line}`;
    return { ...unread(written, body, name, `${fault}${where}, and was read line by line`), matter };
  }
  return namesMatter(linesIn(written, "=")) ? unread(written, body, "toml", `${fault}, but TOML`) : null;
}

/** The front matter stands below the text as code. */
function unread(written: string, body: string, language: string, why: string): FrontedText {
  const fence = written.includes("```") ? "~~~~" : "```";
  return {
    matter: {},
    body: `${body.trimEnd()}\n\n${fence}${language.toLowerCase()}\n${written.trimEnd()}\n${fence}\n`,
    fault: `its front matter ${why}: it comes as a draft.`,
  };
}

/** Nothing tells where the text begins, so it stays whole. */
function neverClosed(text: string, rest: string, { name, readLines }: Language): FrontedText | null {
  const [above = ""] = rest.split("\n\n", 1);
  const matter = readLines(above);
  const fault = `its front matter (${name}) has no end: it comes as a draft.`;
  return namesMatter(matter) ? { matter, body: text, fault } : null;
}

function namesMatter(matter: FrontMatter): boolean {
  return Object.keys(matter).some((name) => IN_EVERY_MATTER.test(name));
}

/** @throws SyntaxError if there is more in it than literals */
function fieldsOfProgram(text: string): FrontMatter {
  const { fields, unread } = literalsIn(text);
  if (unread.length > 0) throw new SyntaxError(`${unread.join(", ")} is no literal`);
  return fields;
}

/** "Note: …" in a paragraph of its own, between two lines that are drawn. */
function isProse(text: string, matter: FrontMatter): boolean {
  return /^[ \t]*\n/.test(text) && Object.keys(matter).length > 0 && !namesMatter(matter);
}

/** Undefined where it cannot be read. */
function parsed(text: string, { parse }: Pick<Language, "parse">): unknown {
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
const IN_EVERY_MATTER = /^(?:title|date|publishDate|draft|slug|aliases|tags|categories|layout|params)$/i;
/** What is meant as an object of front matter, whatever is wrong with it. */
const BEGINS_LIKE_JSON =
  /^\{\s{0,99}["']?(?:title|date|publishDate|draft|slug|aliases|tags|categories|layout|params)["']?\s{0,9}:/i;

/** In one line or in several; nothing else stands in its last. */
function jsonAbove(text: string): FrontedText | null {
  const end = endOfObject(text);
  try {
    const [rest, body = ""] = /^[ \t]*(?:\n([\s\S]*))?$/.exec(text.slice(end)) ?? [];
    const read = end < 0 ? undefined : JSON.parse(text.slice(0, end));
    if (rest !== undefined && isObject(read) && namesMatter(read)) return { matter: read, body };
    if (end >= 0 && !(isObject(read) && "draft" in smallNames(read))) return null;
  } catch {
    // A text that begins with a brace, or front matter that is no JSON.
  }
  const fault = "its front matter is no JSON: it comes as a draft.";
  return BEGINS_LIKE_JSON.test(text) ? { matter: {}, body: text, fault } : null;
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
