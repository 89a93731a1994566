import type { MarkedExtension, RendererThis, TokenizerExtension, Tokens } from "marked";
import markedFootnote, { type Footnote, type FootnoteRef, type Footnotes } from "marked-footnote";

/** Runs a tokenizer unless the nesting is too deep. */
export type Guard = <Token>(read: () => Token) => Token | undefined;

/** Parses GitHub's footnotes. Ids contain a hash of the text, because one page can show several posts. */
export function footnotes(markdown: string, guard: Guard): MarkedExtension {
  const text = new Bun.CryptoHasher("sha256").update(markdown).digest("hex").slice(0, 8);
  const { extensions, ...rest } = markedFootnote();
  const renderers = renderersFor(text);
  const ours = (extensions ?? []).map((extension) => ({
    ...extension,
    ...("tokenizer" in extension && { tokenizer: guarded(extension.tokenizer, guard) }),
    renderer: renderers[extension.name],
  }));
  return { ...rest, extensions: ours as MarkedExtension["extensions"] };
}

type Read = TokenizerExtension["tokenizer"];

function guarded(read: Read, guard: Guard): Read {
  return function (source, tokens) {
    return source.startsWith("[^")
      ? guard(() => read.call(this, source, tokens))
      : read.call(this, source, tokens);
  };
}

/** Replaces marked-footnote's renderers, which write the author's labels into ids. */
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
        const ways = refs.map(({ index }) => wayBack(placeId(id, index)));
        const says = this.parser.parse(content).trimEnd();
        const [, before = says, end = ""] = /^([\s\S]*)(<\/p>)$/.exec(says) ?? [];
        return `<li id="${noteId(id)}">${before} ${ways.join(" ")}${end}</li>\n`;
      });
      return notes.length === 0 ? "" : `<section class="footnotes"><ol>\n${notes.join("")}</ol></section>\n`;
    },
  };
}

/** U+FE0E makes phones draw the arrow as text, not as an emoji. */
function wayBack(id: string): string {
  return `<a class="footnote-backref" href="#${id}">↩\uFE0E</a>`;
}
