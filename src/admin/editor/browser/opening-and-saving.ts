import type { Editor } from "@tiptap/core";
import type { Node as Content, Schema } from "@tiptap/pm/model";
import { Selection } from "@tiptap/pm/state";
import { blockHtml } from "./blocks-to-html";
import { footnotesIn } from "./footnotes";
import type { Piece } from "./html-parsing";
import { contentOf, htmlOf, isInline, isInvisible, piecesOf, splitAtBlocks } from "./html-parsing";
import { BlockReader, isCard, parseAttachment, type ReadingContext } from "./html-to-blocks";

interface Original {
  blocks: Content[];
  source: string;
}

/**
 * Converts a post's HTML to editor blocks and back. Unchanged pieces keep their exact source: ProseMirror
 * nodes are immutable, so an identical node is unchanged.
 */
export class WrittenContent {
  #source = "";
  #originals: Original[] = [];
  #byFirstBlock = new Map<Content, Original>();
  #byText = new Map<string, Original[]>();
  #htmlOf = new WeakMap<Content, string>();

  constructor(
    readonly schema: Schema,
    readonly attachment: ReadingContext["attachment"],
  ) {}

  /** Call `trackBlocks` after putting the blocks into the editor. */
  read(source: string): Content[] {
    this.#source = source;
    const pieces = piecesOf(source);
    const footnotes = footnotesIn(pieces.flatMap(({ nodes }) => nodes));
    const { schema, attachment } = this;
    const pieceReader = pieceReaderFor({ schema, attachment, footnotes });
    this.#originals = pieces.map((piece) => ({ blocks: pieceReader(piece), source: piece.source }));
    return this.#originals.flatMap(({ blocks }) => blocks);
  }

  /** @param doc begins with the blocks from `read` */
  trackBlocks(doc: Content): void {
    let index = 0;
    this.#byFirstBlock = new Map();
    for (const original of this.#originals) {
      original.blocks = original.blocks.map(() => doc.child(index++));
      const [first] = original.blocks;
      if (first) this.#byFirstBlock.set(first, original);
    }
    const nonEmpty = this.#originals.filter(({ blocks }) => blocks.length > 0);
    this.#byText = Map.groupBy(nonEmpty, ({ blocks }) => (blocks[0] as Content).textContent);
  }

  html(doc: Content): string {
    const blocks = dropEmptyEnd(doc.children, this.#byFirstBlock);
    if (this.#isAsOpened(blocks)) return this.#source;
    const pieces: string[] = [];
    let isNew = false;
    for (let index = 0; index < blocks.length; ) {
      const original = this.#originalAt(blocks, index);
      const piece = original?.source ?? this.#written(blocks[index] as Content);
      const last = pieces.at(-1);
      if (last && piece && !/\s/.test(last.at(-1) ?? "") && (isNew || !original)) pieces.push("\n");
      if (piece) pieces.push(piece);
      isNew = !original;
      index += original?.blocks.length ?? 1;
    }
    return pieces.join("");
  }

  #isAsOpened(blocks: readonly Content[]): boolean {
    const opened = this.#originals.flatMap((original) => original.blocks);
    return opened.length === blocks.length && blocks.every((block, index) => opened[index]?.eq(block));
  }

  /** Also compares blocks by content, because undo creates new blocks with the same content. */
  #originalAt(blocks: readonly Content[], index: number): Original | undefined {
    const first = blocks[index] as Content;
    const isUnchanged = (original: Original) =>
      original.blocks.every((block, at) => blocks[index + at]?.eq(block));
    const same = this.#byFirstBlock.get(first);
    if (same) return isUnchanged(same) ? same : undefined;
    const candidates = this.#byText.get(first.textContent) ?? [];
    return candidates.find(isUnchanged);
  }

  #written(block: Content): string {
    const html = this.#htmlOf.get(block) ?? blockHtml(block);
    this.#htmlOf.set(block, html);
    return html;
  }
}

function dropEmptyEnd(blocks: readonly Content[], originals: Map<Content, Original>): readonly Content[] {
  const isAddedEmpty = (block: Content | undefined) =>
    block?.type.name === "paragraph" && block.content.size === 0 && !originals.has(block);
  const notes = blocks.at(-1)?.type.name === "footnotes" ? blocks.slice(-1) : [];
  let end = blocks.length - notes.length;
  while (isAddedEmpty(blocks[end - 1])) end--;
  return [...blocks.slice(0, end), ...notes];
}

/** A piece becomes an island (HTML that cannot be edited) if blocks would produce different HTML. */
function pieceReaderFor(reading: ReadingContext): (piece: Piece) => Content[] {
  const reader = new BlockReader(reading);
  const paragraph = (nodes: Node[]) => reader.make("paragraph", null, reader.lines(nodes));

  const isAttachment = (node: Node) => node instanceof Element && parseAttachment(node) !== null;
  const splitAtAttachments = (nodes: Node[]): Content[] =>
    splitAtBlocks(nodes, isAttachment).flatMap((part) => {
      if (!Array.isArray(part)) return reader.read(part);
      return part.every(isInvisible) ? [] : paragraph(part);
    });

  return ({ source, nodes }) => {
    const visible = nodes.filter((node) => !isInvisible(node));
    if (visible.length === 0) return [];
    if (visible.every(isInline)) return [paragraph(nodes)];
    const [element] = visible;
    if (!(element instanceof Element) || visible.length > 1) return splitAtAttachments(nodes);
    if (parseAttachment(element) || isCard(element) || element.matches("div.attachment-gallery"))
      return reader.read(element);
    if (/^(p|div)$/.test(element.localName) && element.attributes.length === 0) {
      const children = [...element.childNodes];
      if (children.some(isAttachment) && children.every((node) => isInline(node) || isAttachment(node)))
        return splitAtAttachments(children);
    }
    const blocks = reader.read(element);
    const written = blocks.map((one) => blockHtml(one)).join("");
    if (blocks[0]?.type.name === "island" || isSameHtml(visible, written)) return blocks;
    return [reader.make("island", { html: markupOf(source, element) })];
  };
}

function markupOf(source: string, element: Element): string {
  const trimmed = source.trim();
  const [first, ...others] = contentOf(trimmed).filter((node) => !isInvisible(node));
  return others.length === 0 && first instanceof Element && first.isEqualNode(element)
    ? trimmed
    : htmlOf(element);
}

export function openContent(
  editor: Editor,
  source: string,
  attachment: (sgid: string) => Record<string, unknown>,
): WrittenContent {
  const { tr, doc, schema } = editor.state;
  const content = new WrittenContent(schema, attachment);
  const blocks = content.read(source);
  tr.replaceWith(0, doc.content.size, blocks.length > 0 ? blocks : schema.node("paragraph"));
  // Skips a picture at the start, because typing would replace it.
  tr.setSelection(Selection.findFrom(tr.doc.resolve(0), 1, true) ?? Selection.atStart(tr.doc));
  editor.view.dispatch(tr.setMeta("addToHistory", false).setMeta("preventUpdate", true));
  if (blocks.length > 0) content.trackBlocks(editor.state.doc);
  return content;
}

/** Ignores differences that readers cannot see, such as white space between blocks and the order of marks. */
function isSameHtml(one: Node[], other: string): boolean {
  return outline(one) === outline(contentOf(other));
}

const PLAIN_MARKS = new Set(["strong", "em", "s", "u", "code", "a"]);

function outline(nodes: Node[], isPre = false): string {
  const parts = splitAtBlocks(nodes, (node) => node instanceof Element && !isInline(node));
  const lines = parts.map((part) => {
    if (Array.isArray(part)) return isPre || !part.every(isInvisible) ? lineOutline(part, isPre) : "";
    const isAttachment = part.localName === "action-text-attachment";
    const inner = isAttachment ? "" : outline([...part.childNodes], isPre || part.localName === "pre");
    return `<${tagOutline(part)}>{${inner}}`;
  });
  return lines.filter(Boolean).join("\n");
}

function tagOutline(element: Element): string {
  const attributes = [...element.attributes].map(({ name, value }) => `${name}=${JSON.stringify(value)}`);
  // An attachment's empty attributes are equal to missing ones.
  const compared = attributes.filter(
    (text) => element.localName !== "action-text-attachment" || !/^[\w-]+=""$/.test(text),
  );
  return [element.localName, ...compared.sort()].join(" ");
}

interface Run {
  text: string;
  marks: string;
  isElement: boolean;
}

function lineOutline(nodes: Node[], isPre: boolean): string {
  const runs: Run[] = [];
  let number = 0;
  let isAfterSpace = true;
  const addText = (data: string, marks: string) => {
    const spaced = isPre ? data : data.replace(/[ \t\r\n\f]+/g, " ");
    const text = isAfterSpace && !isPre ? spaced.replace(/^ /, "") : spaced;
    if (!text) return;
    isAfterSpace = text.endsWith(" ");
    const last = runs.at(-1);
    if (last && !last.isElement && last.marks === marks) last.text += text;
    else runs.push({ text, marks, isElement: false });
  };
  const walk = (node: Node, marks: string[]) => {
    const around = [...new Set(marks)].sort().join("|");
    if (node instanceof Text) addText(node.data, around);
    if (!(node instanceof Element)) return;
    const tag = tagOutline(node);
    if (node.childNodes.length === 0) {
      runs.push({ text: `<${tag}>`, marks: around, isElement: true });
      isAfterSpace = tag === "br";
    }
    const mark = PLAIN_MARKS.has(node.localName) ? tag : `${tag} #${++number}`;
    for (const child of node.childNodes) walk(child, [...marks, mark]);
  };
  for (const node of nodes) walk(node, []);
  const last = runs.at(-1);
  if (last && !last.isElement && !isPre) last.text = last.text.replace(/ $/, "");
  return JSON.stringify(runs.filter(({ text }) => text !== ""));
}
