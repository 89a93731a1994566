interface Literals {
  fields: Record<string, unknown>;
  /** Names of values that are not literals. */
  unread: string[];
}

/** Maximum length in characters. Longer files are programs, not settings. */
const MAX_LENGTH = 50_000;
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/.source;
const STRING_OR_COMMENT = new RegExp(`${STRING}|/\\*[\\s\\S]*?(?:\\*/|$)|//[^\\n]*`, "g");
const TOKEN = new RegExp(`${STRING}|[\\s\\S]`, "gy");
const DECLARATION = /(?:export\s+)?(?:const|let|var)\s+([\w$]{1,100})\s*=\s*/y;
const EXPORT = /(?:export\s+default|module\.exports\s*=)\s*(?=\{)/y;
const KEY = /(?:([\w$]{1,100})|"([^"\n]{1,100})"|'([^'\n]{1,100})')\s*:\s*/y;

/** Reads `const name = literal` and the exported object without running the program. */
export function parseJsLiterals(text: string): Literals {
  const found: Literals = { fields: {}, unread: [] };
  if (text.length > MAX_LENGTH) return { fields: {}, unread: ["all of it"] };
  const program = removeJsComments(text);
  for (let at = skipTo(program, 0, /[\s;]*/y); at < program.length; at = skipTo(program, at, /[\s;]*/y)) {
    const declared = matchAt(DECLARATION, program, at);
    const start = at + (declared ?? matchAt(EXPORT, program, at) ?? [""])[0].length;
    if (declared) at = readValue(program, start, ";\n", declared[1] as string, found);
    else if (program[start] === "{") at = readObject(program, start, found);
    else at = readValue(program, at, ";\n", null, found);
  }
  return found;
}

/** @returns the object after the first `name:`, or null */
export function findObjectLiteral(text: string, name: string): Record<string, unknown> | null {
  if (text.length > MAX_LENGTH) return null;
  const program = removeJsComments(text);
  const start = program.search(new RegExp(`\\b${name}["']?\\s{0,99}:\\s{0,99}\\{`));
  const found: Literals = { fields: {}, unread: [] };
  if (start >= 0) readObject(program, program.indexOf("{", start), found);
  return start < 0 ? null : found.fields;
}

export function removeJsComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, (part) => (part.startsWith("/") ? " " : part));
}

/** @returns the index after the object's closing brace */
function readObject(text: string, open: number, found: Literals): number {
  let at = skipTo(text, open + 1, /[\s,]*/y);
  while (at < text.length && text[at] !== "}") {
    const key = matchAt(KEY, text, at);
    const name = key && (key[1] ?? key[2] ?? key[3] ?? "");
    at = skipTo(text, readValue(text, at + (key?.[0].length ?? 0), ",}", name, found), /[\s,]*/y);
  }
  return at + 1;
}

/** @param name field name, or null @returns the index of the character that ends the value */
function readValue(text: string, start: number, ends: string, name: string | null, found: Literals): number {
  const end = endOfValue(text, start, ends);
  const source = text.slice(start, end).trim();
  const value = name === null ? undefined : literal(source);
  if (name !== null && value !== undefined) found.fields[name] = value;
  else found.unread.push(name ?? /^[\w$]{1,40}/.exec(source)?.[0] ?? "a part");
  return Math.max(end, start + 1);
}

function endOfValue(text: string, start: number, ends: string): number {
  let depth = 0;
  TOKEN.lastIndex = start;
  for (let at = start; at < text.length; at = TOKEN.lastIndex) {
    const [token = ""] = TOKEN.exec(text) ?? [];
    if (depth === 0 && ends.includes(token)) return at;
    if (/^[[{(]$/.test(token)) depth++;
    else if (/^[\]})]$/.test(token)) depth--;
  }
  return text.length;
}

function literal(text: string): unknown {
  const [, template] = /^`([^`\\$]*)`$/.exec(text) ?? [];
  if (template !== undefined) return template;
  const [, time] = /^new Date\((.*)\)$/s.exec(text) ?? [];
  try {
    return Bun.JSON5.parse(time ?? text);
  } catch {
    return undefined;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skipTo(text: string, at: number, skipped: RegExp): number {
  return at + (matchAt(skipped, text, at)?.[0].length ?? 0);
}
