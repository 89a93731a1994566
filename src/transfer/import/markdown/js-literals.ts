import { isObject } from "../../../text/json";

interface Literals {
  fields: Record<string, unknown>;
  unread: string[];
}

/** In characters. Longer files are programs, not settings. */
const MAX_LENGTH = 50_000;
const EXPORTED = /(?:export default|module\.exports =)\s*(\{[\s\S]*\})/;
const PROPERTY =
  /^[ \t]*(?:(?:export )?(?:const|let|var) )?["']?([\w$]{1,100})["']?[ \t]*[:=][ \t]*(\[[^\]]*\]|\{[^{}]*\}|[^\n]*?)[,;]?[ \t]*(?:\/\/[^\n]*)?$/gm;

/** Never runs the program. Reads an exported object, or the lines with plain values. */
export function parseJsLiterals(text: string): Literals {
  if (text.length > MAX_LENGTH) return { fields: {}, unread: ["all of it"] };
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

export function parseJsLiteral(text: string): unknown {
  try {
    return Bun.JSON5.parse(text);
  } catch {
    return undefined;
  }
}
