import { LARGEST_TEXT, SourceFault } from "../sources/source";

/** `[name a="b" c]inside[/name]` in a text. */
export interface Shortcode {
  name: string;
  attributes: Record<string, string>;
  /** Those without a name, in order. */
  values: string[];
  /** null: it has no end. */
  readonly inside: string | null;
}

/** In characters, from bracket to bracket. */
const LONGEST_TAG = 2000;
const TAG = /^\[([a-z][\w-]{1,60})(?=[\s\]/=])/i;
const ATTRIBUTE =
  /([\w-]{1,60})=(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\s"']{1,2000}))|"([^"]{0,2000})"|(\S{1,2000})/g;

/**
 * Replaces the shortcodes that are known.
 * @param replaced what stands in its place; null: it is not known, and left as it stands
 * @throws SourceFault where that is longer than any post can be: each may be a gallery of all there is
 */
export function replaceShortcodes(text: string, replaced: (code: Shortcode) => string | null): string {
  const next = placesIn(text.toLowerCase());
  let done = "";
  let copied = 0;
  for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1)) {
    if (at < copied) continue;
    const found = shortcodeAt(text, next, at);
    if (!found || text[at - 1] === "[") continue;
    const html = replaced(found.code);
    if (html === null) continue;
    done += text.slice(copied, at) + html;
    if (done.length > LARGEST_TEXT) throw new SourceFault("is longer than any post can be.");
    copied = found.end();
    at = copied - 1;
  }
  return done + text.slice(copied);
}

/** Where a word stands next, asked from the beginning to the end: it may be far away, and is looked for once. */
function placesIn(text: string): (word: string, from: number) => number {
  const known = new Map<string, number>();
  return (word, from) => {
    const before = known.get(word);
    if (before !== undefined && (before < 0 || before >= from)) return before;
    const at = text.indexOf(word, from);
    known.set(word, at);
    return at;
  };
}

function shortcodeAt(
  text: string,
  next: ReturnType<typeof placesIn>,
  at: number,
): { code: Shortcode; end(): number } | null {
  const [tag, name = ""] = TAG.exec(text.slice(at, at + 80)) ?? [];
  if (tag === undefined) return null;
  const close = text.indexOf("]", at);
  if (close < 0 || close - at > LONGEST_TAG) return null;
  const written = text.slice(at + tag.length, close);
  const isClosed = written.endsWith("/");
  const closing = `[/${name.toLowerCase()}]`;
  const closingAt = () => {
    const end = isClosed ? -1 : next(closing, close);
    // One of the same name that begins before this ends has that end.
    const other = end < 0 ? -1 : next(`[${name.toLowerCase()}`, close);
    return other < 0 || other > end ? end : -1;
  };
  return {
    code: {
      name: name.toLowerCase(),
      ...attributesIn(isClosed ? written.slice(0, -1) : written),
      // Not before it is asked for: of names that nobody knows there may be as many as words.
      get inside() {
        const end = closingAt();
        return end < 0 ? null : text.slice(close + 1, end);
      },
    },
    end() {
      const end = closingAt();
      return end < 0 ? close + 1 : end + closing.length;
    },
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
