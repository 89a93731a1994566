import { isObject, parseJson } from "../../../text/json";
import { isYes } from "../items/dates-and-fields";

export type FrontMatter = Record<string, unknown>;

export interface TextWithFrontMatter {
  /** Keys are lowercase, as in Hugo; null if there is no front matter. */
  matter: FrontMatter | null;
  body: string;
  /** The reason why the front matter is incomplete. The file then becomes a draft. */
  error?: string;
}

const MAX_LENGTH = 2_000_000;
/** In longer texts the erroneous line is not searched, because the search parses the text once per line. */
const MAX_SEARCHED_LENGTH = 5000;

interface Language {
  name: string;
  parse(text: string): unknown;
  /** Reads what it can of invalid text. */
  readLines(text: string): FrontMatter;
}

const YAML: Language = { name: "YAML", parse: Bun.YAML.parse, readLines: parseKeyValueLines };
const TOML: Language = {
  name: "TOML",
  parse: Bun.TOML.parse,
  readLines: (text) => parseKeyValueLines(text, "="),
};
const JSON5: Language = { name: "JSON", parse: Bun.JSON5.parse, readLines: () => ({}) };
const JAVASCRIPT: Language = {
  name: "JavaScript",
  parse(text) {
    const { fields, unread } = parseJsLiterals(text);
    if (unread.length > 0) throw new SyntaxError(`${unread.join(", ")} is not a literal value`);
    return fields;
  },
  readLines: (text) => parseJsLiterals(text).fields,
};
const BY_MARK: Record<string, Language> = {
  ...{ "---": YAML, "---yaml": YAML, "+++": TOML, "---toml": TOML },
  ...{ "---json": JSON5, "---js": JAVASCRIPT, "---javascript": JAVASCRIPT },
};
const YAML_END = /^(?:---|\.\.\.[ \t]{0,9}$)/m;

/**
 * Reads YAML between `---`, TOML between `+++`, JSON, plain JavaScript literals after `---js`, and Pelican
 * headers. Reports invalid front matter, and leaves it in the text.
 */
export function parseFrontMatter(text: string): TextWithFrontMatter {
  const lineEnd = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  const plain = lineEnd.trimStart();
  const read = plain.startsWith("{") ? jsonMatter(plain) : (delimitedMatter(plain) ?? pelicanHeader(plain));
  const { matter, ...others } = read ?? { matter: null, body: lineEnd };
  return { matter: matter && lowercaseKeys(matter), ...others };
}

const PELICAN_FIELD =
  /^(?:title|date|modified|category|tags|keywords|slug|authors?|summary|status|lang|template|save_as|url)[ \t]{0,9}:/i;
const MAX_HEADER_LENGTH = 10_000;

/** Pelican writes `Title: …` lines without delimiters, up to an empty line. Indented lines continue a value. */
function pelicanHeader(text: string): TextWithFrontMatter | null {
  if (!PELICAN_FIELD.test(text)) return null;
  const end = text.slice(0, MAX_HEADER_LENGTH).search(/\n[ \t]{0,9}(?:\n|$)/);
  const lines = text.slice(0, end < 0 ? text.length : end).replace(/\n[ \t]+(?=\S)/g, " ");
  const isHeader = lines.split("\n").every((line) => /^[a-z][\w-]{0,59}[ \t]{0,9}:/i.test(line));
  const matter = parseKeyValueLines(lines);
  if (!isHeader || !Object.keys(matter).some((name) => /^(?:title|date)$/i.test(name))) return null;
  return { matter, body: end < 0 ? "" : text.slice(end).trimStart() };
}

/** The first of several equal keys wins, except that any `draft: true` wins. */
export function lowercaseKeys(matter: FrontMatter): FrontMatter {
  const lowercased: FrontMatter = {};
  for (const [name, value] of Object.entries(matter))
    if (!(name.toLowerCase() in lowercased) || (/^draft$/i.test(name) && isYes(value)))
      lowercased[name.toLowerCase()] = value;
  return lowercased;
}

function delimitedMatter(text: string): TextWithFrontMatter | null {
  const [line = "", mark = "", word = ""] =
    /^(---|\+\+\+)[ \t]*(?:([a-z][\w-]{0,19})[ \t]*)?\n/i.exec(text) ?? [];
  if (line === "") return null;
  const language = BY_MARK[mark + word.toLowerCase()];
  const end = language === YAML ? YAML_END : mark === "---" ? /^---/m : /^\+\+\+/m;
  const remainder = text.slice(line.length, line.length + MAX_LENGTH);
  const found = end.exec(remainder);
  if (!found) return language ? readUnclosed(text, remainder, language) : null;
  const source = remainder.slice(0, found.index);
  const after = text.indexOf("\n", line.length + found.index);
  const body = after < 0 ? "" : text.slice(after + 1);
  if (language) return parseDelimited(source, body, language);
  // "--- Words" is text.
  return line.startsWith(mark + word)
    ? keepAsCode(source, body, word, `is in ${word}, which is not supported`)
    : null;
}

function parseDelimited(source: string, body: string, language: Language): TextWithFrontMatter | null {
  const { name } = language;
  const read = tryParse(source, language);
  const matter = isObject(read) ? read : language.readLines(source);
  const hasFields = Object.keys(matter).length > 0;
  const isAfterBreak = /^[ \t]*\n/.test(source);
  // A paragraph such as "Note: …" between two thematic breaks.
  if (isAfterBreak && hasFields && !hasCommonField(matter)) return null;
  // The parser returns null for front matter that contains only comments.
  if (isObject(read) || read === null || (read !== undefined && hasFields)) return { matter, body };
  const error = language === JAVASCRIPT ? "is JavaScript with computed values" : `is not valid ${name}`;
  if (read === undefined && (hasFields || (language !== YAML && language !== TOML))) {
    const reason = `${error}${errorPlace(source, language)} (read line by line)`;
    return { ...keepAsCode(source, body, name, reason), matter };
  }
  return hasCommonField(parseKeyValueLines(source, "="))
    ? keepAsCode(source, body, "toml", `${error} but TOML`)
    : null;
}

function keepAsCode(source: string, body: string, language: string, reason: string): TextWithFrontMatter {
  const fence = source.includes("```") ? "~~~~" : "```";
  return {
    matter: {},
    body: `${body.trimEnd()}\n\n${fence}${language.toLowerCase()}\n${source.trimEnd()}\n${fence}\n`,
    error: `front matter ${reason}; imported as a draft.`,
  };
}

function readUnclosed(text: string, remainder: string, language: Language): TextWithFrontMatter | null {
  const [above = ""] = remainder.split("\n\n", 1);
  const matter = language.readLines(above);
  const error = `front matter (${language.name}) is not closed; imported as a draft.`;
  return hasCommonField(matter) ? { matter, body: text, error } : null;
}

function hasCommonField(matter: FrontMatter): boolean {
  return Object.keys(matter).some((name) => COMMON_FIELD.test(name));
}

function tryParse(text: string, { parse }: Pick<Language, "parse">): unknown {
  try {
    return parse(text) ?? null;
  } catch {
    return undefined;
  }
}

function errorPlace(text: string, language: Language): string {
  if (text.length > MAX_SEARCHED_LENGTH) return "";
  const lines = text.split("\n");
  const isRead = (_: string, at: number) => tryParse(lines.slice(0, at).join("\n"), language) !== undefined;
  // The delimiter takes the first line.
  return ` in line ${lines.findLastIndex(isRead) + 2}`;
}

function parseKeyValueLines(text: string, sign = ":"): FrontMatter {
  const matter: FrontMatter = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(sign);
    const name = line.slice(0, at).trim();
    if (at < 1 || !/^[\w .-]{1,60}$/.test(name)) continue;
    const value = line.slice(at + 1).trim();
    const list = value.startsWith("[") ? parseJson(value) : null;
    matter[name] = list ?? (/^"[\s\S]*"$|^'[\s\S]*'$/.test(value) ? value.slice(1, -1) : value);
  }
  return matter;
}

/** For lines `name: value` between `---` that are not YAML, because quotes are not escaped. */
export function splitKeyValueMatter(written: string): { matter: FrontMatter; body: string } {
  const text = written.replace(/\r\n?/g, "\n");
  const start = text.indexOf("\n") + 1;
  const end = text.indexOf("\n---", start - 1);
  const after = text.indexOf("\n", end + 1);
  const matter = parseKeyValueLines(text.slice(start, Math.max(start, end)));
  return { matter, body: after < 0 ? "" : text.slice(after + 1).trim() };
}

/** In doubtful cases, front matter must have one of these fields. Other JSON objects are part of the text. */
const COMMON_FIELD = /^(?:title|date|publishDate|draft|slug|aliases|tags|categories|layout|params)$/i;

/** Tries each brace at the end of a line, because the object may contain more such braces. */
function jsonMatter(text: string): TextWithFrontMatter | null {
  for (const { index } of text.matchAll(/\}(?=[ \t]{0,9}(?:\n|$))/g)) {
    const matter = parseJson(text.slice(0, index + 1));
    if (!isObject(matter)) continue;
    const end = text.indexOf("\n", index);
    return hasCommonField(matter) ? { matter, body: end < 0 ? "" : text.slice(end + 1) } : null;
  }
  const [, first = ""] = /^\{\s{0,99}["']?(\w{1,20})["']?\s{0,9}:/.exec(text) ?? [];
  const error = "front matter is not valid JSON; imported as a draft.";
  return COMMON_FIELD.test(first) ? { matter: {}, body: text, error } : null;
}

interface Literals {
  fields: Record<string, unknown>;
  unread: string[];
}

/** In characters. Longer files are programs, not settings. */
const MAX_PROGRAM_LENGTH = 50_000;
const EXPORTED = /(?:export default|module\.exports =)\s*(\{[\s\S]*\})/;
const PROPERTY =
  /^[ \t]*(?:(?:export )?(?:const|let|var) )?["']?([\w$]{1,100})["']?[ \t]*[:=][ \t]*(\[[^\]]*\]|\{[^{}]*\}|[^\n]*?)[,;]?[ \t]*(?:\/\/[^\n]*)?$/gm;

/** Never runs the program. Reads an exported object, or the lines with plain values. */
export function parseJsLiterals(text: string): Literals {
  if (text.length > MAX_PROGRAM_LENGTH) return { fields: {}, unread: ["all of it"] };
  const program = text.replace(/`([^`\\$]*)`/g, (_, words) => JSON.stringify(words));
  const object = parseJsLiteral(EXPORTED.exec(program)?.[1] ?? program);
  if (isObject(object)) return { fields: object, unread: [] };
  const found: Literals = { fields: {}, unread: [] };
  for (const [, name = "", source = ""] of program.matchAll(PROPERTY)) {
    const value = parseJsLiteral(source);
    if (value === undefined) found.unread.push(name);
    else found.fields[name] = value;
  }
  return found;
}

function parseJsLiteral(text: string): unknown {
  try {
    return Bun.JSON5.parse(text);
  } catch {
    return undefined;
  }
}
