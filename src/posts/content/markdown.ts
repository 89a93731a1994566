import type { MarkedExtension, RendererThis, TokenizerExtension, Tokens } from "marked";
import { Marked, Tokenizer } from "marked";
import type { Footnote, FootnoteRef, Footnotes } from "marked-footnote";
import markedFootnote from "marked-footnote";
import { invalid } from "../../errors";
import { HTML_TOO_LARGE, MAX_HTML_BYTES } from "../post/post";

/** marked recurses, and slows down with each level. Deeper quotes, lists and footnotes stay plain text. */
const MAX_DEPTH = 50;
const MAX_HEADING_LENGTH = 10_000;
const UNDERLINE = /\n(?:[ \t]*(?:\n|$)| {0,3}(?:=+|-+) *(?:\n|$))/;
const CELL = "<td></td>\n".length;
/** Per table. Markdown fills up short rows, so a short source can make a large table. */
const MAX_TABLE_CELLS = 20_000;
const TABLE_TOO_LARGE = `must not contain a table with more than ${MAX_TABLE_CELLS} cells (columns × rows)`;

/**
 * @param isPlain disables footnotes, callouts, tables and reference links
 * @returns unsanitized HTML
 * @throws Refusal (invalid) for `content`
 */
export function markdownToHtml(markdown: string, { isPlain }: { isPlain: boolean }): string {
  try {
    const { marked, guard } = limitedMarked(isPlain);
    if (!isPlain) marked.use(footnotes(markdown, guard), callouts);
    return marked.parse(markdown, { async: false });
  } catch (error) {
    // marked adds its own URL to its error messages, so this message replaces them.
    const reason = error instanceof TooLarge ? error.reason : "is nested too deeply to be read as Markdown";
    throw invalid({ content: [reason] });
  }
}

const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/;

const callouts: MarkedExtension = {
  renderer: {
    blockquote({ tokens }) {
      const [paragraph, ...others] = tokens;
      const [start, ...rest] = paragraph?.type === "paragraph" ? (paragraph.tokens ?? []) : [];
      const [line, kind = ""] = (start?.type === "text" && ALERT.exec(start.raw)) || [];
      if (!paragraph || !start || line === undefined) return false;
      const text = start.raw.slice(line.length);
      const left = [...(text ? [{ ...start, raw: text, text }] : []), ...rest];
      const first = left.length > 0 ? [{ ...paragraph, tokens: left }] : [];
      const name =
        kind === "NOTE" ? "" : `<p><strong>${kind[0]}${kind.slice(1).toLowerCase()}</strong></p>\n`;
      return `<aside class="callout">\n${name}${this.parser.parse([...first, ...others])}</aside>\n`;
    },
  },
};

/** marked changes `message`, so the reason is in a field of its own. */
class TooLarge extends Error {
  constructor(readonly reason: string) {
    super();
  }
}

/** A tokenizer that returns `false` falls back to marked's own tokenizer; undefined means no match. */
function limitedMarked(isPlain: boolean): { marked: Marked; guard: Guard } {
  let left = MAX_HTML_BYTES;
  const grow = (characters: number) => {
    left -= characters;
    if (left < 0) throw new TooLarge(HTML_TOO_LARGE);
  };
  let depth = 0;
  const nested: Guard = (read) => {
    if (depth >= MAX_DEPTH) return undefined;
    depth++;
    try {
      return read();
    } finally {
      depth--;
    }
  };
  const marked = new Marked({
    gfm: true,
    tokenizer: {
      blockquote(source) {
        return nested(() => Tokenizer.prototype.blockquote.call(this, source));
      },
      list(source) {
        return nested(() => Tokenizer.prototype.list.call(this, source));
      },
      // marked's own regex needs about 200 bytes of memory for each character before the underline.
      lheading: (source) => (isUnderlined(source) ? false : undefined),
      def: () => (isPlain ? undefined : false),
      table(source) {
        if (isPlain) return undefined;
        const { block, other } = this.rules;
        const [, , delimiters = "", rows = ""] = block.table.exec(source) ?? [];
        const columns = delimiters.replace(other.tableAlignChars, "").split("|").length;
        const cells = columns * (rows.trimEnd().split("\n").length + 1);
        if (cells > MAX_TABLE_CELLS) throw new TooLarge(TABLE_TOO_LARGE);
        if (delimiters) grow(cells * CELL);
        return false;
      },
      reflink(source, links) {
        const token = Tokenizer.prototype.reflink.call(this, source, links);
        const { href = "", title } = (token ?? {}) as Partial<Tokens.Link>;
        grow(href.length + (title?.length ?? 0));
        return token;
      },
    },
  });
  return { marked, guard: nested };
}

function isUnderlined(source: string): boolean {
  return Boolean(UNDERLINE.exec(source.slice(0, MAX_HEADING_LENGTH))?.[0].trim());
}

type Guard = <Token>(read: () => Token) => Token | undefined;

/** Ids contain a hash of the text, because a page can show several posts. */
function footnotes(markdown: string, guard: Guard): MarkedExtension {
  const text = new Bun.CryptoHasher("sha256").update(markdown).digest("hex").slice(0, 8);
  const { extensions, ...rest } = markedFootnote();
  const renderers = renderersFor(text);
  const withLimits = (extensions ?? []).map((extension) => ({
    ...extension,
    ...("tokenizer" in extension && { tokenizer: guarded(extension.tokenizer, guard) }),
    renderer: renderers[extension.name],
  }));
  return { ...rest, extensions: withLimits as MarkedExtension["extensions"] };
}

type Read = TokenizerExtension["tokenizer"];

function guarded(read: Read, guard: Guard): Read {
  return function (source, tokens) {
    const readToken = () => read.call(this, source, tokens);
    return source.startsWith("[^") ? guard(readToken) : readToken();
  };
}

/** marked-footnote's own renderers write the author's labels into ids. */
function renderersFor(text: string): Record<string, (this: RendererThis, token: Tokens.Generic) => string> {
  const noteId = (number: string) => `fn-${text}-${number}`;
  const placeId = (number: string, index: number) =>
    `fnref-${text}-${number}${index > 0 ? `-${index + 1}` : ""}`;
  return {
    footnote: () => "",
    footnoteRef(token) {
      const { id, index } = token as FootnoteRef;
      return `<sup class="footnote-ref"><a id="${placeId(id, index)}" href="#${noteId(id)}">${id}</a></sup>`;
    },
    footnotes(token) {
      const { items } = token as unknown as Footnotes;
      const notes = items.map(({ content, refs }: Footnote) => {
        const { id = "" } = refs[0] ?? {};
        // U+FE0E makes phones draw the arrow as text, not as an emoji.
        const backLinks = refs.map(
          ({ index }) => `<a class="footnote-backref" href="#${placeId(id, index)}">↩\uFE0E</a>`,
        );
        const rendered = this.parser.parse(content).trimEnd();
        const [, before = rendered, end = ""] = /^([\s\S]*)(<\/p>)$/.exec(rendered) ?? [];
        return `<li id="${noteId(id)}">${before} ${backLinks.join(" ")}${end}</li>\n`;
      });
      return notes.length === 0 ? "" : `<section class="footnotes"><ol>\n${notes.join("")}</ol></section>\n`;
    },
  };
}
