/** `[name a="b" c]inside[/name]` in a text. */
export interface Shortcode {
  name: string;
  attributes: Record<string, string>;
  /** Those without a name, in order. */
  values: string[];
  /** null: it has no end. */
  inside: string | null;
}

/** In characters, from bracket to bracket. */
const LONGEST_TAG = 2000;
const TAG = /^\[([a-z][\w-]{1,60})(?=[\s\]/=])/i;
const ATTRIBUTE =
  /([\w-]{1,60})=(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\s"']{1,2000}))|"([^"]{0,2000})"|(\S{1,2000})/g;

/**
 * Replaces the shortcodes that are known.
 * @param replaced what stands in its place; null: it is not known, and left as it stands
 */
export function replaceShortcodes(text: string, replaced: (code: Shortcode) => string | null): string {
  const small = text.toLowerCase();
  let done = "";
  let copied = 0;
  for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1)) {
    if (at < copied) continue;
    const found = shortcodeAt(text, small, at);
    if (!found || text[at - 1] === "[") continue;
    const html = replaced(found.code);
    if (html === null) continue;
    done += text.slice(copied, at) + html;
    copied = found.end;
    at = copied - 1;
  }
  return done + text.slice(copied);
}

function shortcodeAt(text: string, small: string, at: number): { code: Shortcode; end: number } | null {
  const [tag, name = ""] = TAG.exec(text.slice(at, at + 80)) ?? [];
  if (tag === undefined) return null;
  const close = text.indexOf("]", at);
  if (close < 0 || close - at > LONGEST_TAG) return null;
  const written = text.slice(at + tag.length, close);
  const isClosed = written.endsWith("/");
  const closing = `[/${name.toLowerCase()}]`;
  const end = isClosed ? -1 : small.indexOf(closing, close);
  // One of the same name that begins before this ends has that end.
  const next = end < 0 ? -1 : small.indexOf(`[${name.toLowerCase()}`, close);
  const hasEnd = end >= 0 && (next < 0 || next > end);
  return {
    code: {
      name: name.toLowerCase(),
      ...attributesIn(isClosed ? written.slice(0, -1) : written),
      inside: hasEnd ? text.slice(close + 1, end) : null,
    },
    end: hasEnd ? end + closing.length : close + 1,
  };
}

function attributesIn(text: string): Pick<Shortcode, "attributes" | "values"> {
  const attributes: Record<string, string> = {};
  const values: string[] = [];
  for (const [, name, ...given] of text.replace(/[“”″]/g, '"').matchAll(ATTRIBUTE)) {
    const value = given.find((one) => one !== undefined) ?? "";
    if (name) attributes[name.toLowerCase()] = value;
    else values.push(value);
  }
  return { attributes, values };
}
