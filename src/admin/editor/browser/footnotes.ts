import { type Editor, findChildren, findParentNode, Node as TiptapNode } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { editorPlugin } from "./editor-plugin";
import { UnsupportedHtml } from "./html-parsing";
import { asDataAttribute, documentOnly } from "./preserved-markup";

/**
 * A reference to a footnote. In stored HTML, the footnote's id is "fn-KEY" and the reference's is
 * "fnref-KEY".
 */
const footnoteRef = TiptapNode.create({
  name: "footnoteRef",
  group: "inline",
  inline: true,
  atom: true,
  addAttributes: () => ({
    key: { default: "", parseHTML: (element) => element.dataset.footnote },
    number: { ...documentOnly(0), parseHTML: (element) => Number(element.textContent) },
  }),
  parseHTML: () => [{ tag: "sup[data-footnote]", priority: 100 }],
  renderHTML: ({ node }) => [
    "sup",
    { "data-footnote": node.attrs.key, class: "footnote-ref" },
    String(node.attrs.number),
  ],
});

const footnotes = TiptapNode.create({
  name: "footnotes",
  group: "block",
  content: "footnote+",
  isolating: true,
  parseHTML: () => [{ tag: "section.footnotes" }],
  renderHTML: () => ["section", { class: "footnotes", "aria-label": "Footnotes" }, ["ol", 0]],
});

const footnote = TiptapNode.create({
  name: "footnote",
  content: "block+",
  isolating: true,
  addAttributes: () => ({
    key: {
      default: "",
      parseHTML: (element) => element.dataset.note ?? element.id.replace(/^fn-/, ""),
      renderHTML: ({ key }) => ({ "data-note": key }),
    },
    kept: asDataAttribute<Record<string, string> | null>("kept", null),
  }),
  parseHTML: () => [
    { tag: "li[data-note]", priority: 100 },
    { tag: "section.footnotes li", priority: 90 },
  ],
  renderHTML: ({ HTMLAttributes }) => ["li", HTMLAttributes, 0],
  addNodeView:
    () =>
    ({ node }) => {
      const dom = document.createElement("li");
      dom.dataset.note = node.attrs.key;
      // The class and position of an open note are not content, so ProseMirror must ignore their changes.
      return { dom, contentDOM: dom, ignoreMutation: ({ type }) => type === "attributes" };
    },
  addKeyboardShortcuts: () => ({ Enter: leaveNote, Escape: leaveNote }),
});

function enterNote(view: EditorView, key: string): boolean {
  const { doc, tr } = view.state;
  const [note] = findChildren(doc, ({ type, attrs }) => type.name === "footnote" && attrs.key === key);
  if (note) tr.setSelection(TextSelection.near(doc.resolve(note.pos + note.node.nodeSize - 1), -1));
  view.dispatch(tr.scrollIntoView());
  view.focus();
  return true;
}

function leaveNote({ editor: { view } }: { editor: Editor }): boolean {
  const { doc, tr, selection } = view.state;
  const note = selection.$from.node(-1);
  if (note?.type.name !== "footnote") return false;
  const { key } = note.attrs;
  const [ref] = findChildren(doc, ({ type, attrs }) => type.name === "footnoteRef" && attrs.key === key);
  if (!ref) return false;
  view.dispatch(tr.setSelection(TextSelection.create(doc, ref.pos + 1)).scrollIntoView());
  return true;
}

const GAP = 14;

/** While a footnote contains the cursor, shows it below its reference instead of at the end of the text. */
function showNote(view: EditorView): void {
  const footnote = findParentNode(({ type }) => type.name === "footnote")(view.state.selection);
  const key = CSS.escape(footnote?.node.attrs.key ?? "");
  const note =
    footnote && view.hasFocus() ? view.dom.querySelector<HTMLElement>(`li[data-note="${key}"]`) : null;
  const open = view.dom.querySelector("li.is-open");
  if (open && open !== note) open.classList.remove("is-open");
  const ref = note && view.dom.querySelector(`sup[data-footnote="${key}"]`);
  if (!ref) return;
  const top = ref.getBoundingClientRect().bottom - view.dom.getBoundingClientRect().top + GAP;
  note.style.top = `${top}px`;
  note.classList.add("is-open");
}

const footnotePlugin = editorPlugin("footnotePlugin", () => ({
  view: () => ({ update: showNote }),
  props: {
    handleDOMEvents: {
      focus: (view) => void setTimeout(() => view.isDestroyed || showNote(view)),
      blur: (view) => void setTimeout(() => view.isDestroyed || showNote(view)),
    },
    handleClickOn: (view, _at, { type, attrs }) => type.name === "footnoteRef" && enterNote(view, attrs.key),
  },
  /**
   * Numbers references, sorts footnotes by them, adds missing footnotes, and deletes footnotes without a
   * reference.
   */
  appendTransaction: (transactions, _before, { doc, schema, tr }) => {
    if (!transactions.some(({ docChanged }) => docChanged)) return null;
    const refs = findChildren(doc, ({ type }) => type.name === "footnoteRef");
    const keys = [...new Set(refs.map(({ node }) => node.attrs.key as string))];
    for (const { node, pos } of refs) {
      const number = keys.indexOf(node.attrs.key) + 1;
      if (node.attrs.number !== number) tr.setNodeAttribute(pos, "number", number);
    }
    const [section] = findChildren(doc, ({ type }) => type.name === "footnotes");
    const notes = section?.node.children ?? [];
    const newNote = (key: string) => schema.nodes.footnote?.createAndFill({ key }) as Content;
    const inOrder = keys.map((key) => notes.find(({ attrs }) => attrs.key === key) ?? newNote(key));
    if (notes.length !== inOrder.length || inOrder.some((note, at) => notes[at] !== note)) {
      const from = section?.pos ?? doc.content.size;
      const to = from + (section?.node.nodeSize ?? 0);
      const isEmpty = inOrder.length === 0;
      tr.replaceWith(from, to, isEmpty ? [] : schema.node("footnotes", section?.node.attrs, inOrder));
    }
    return tr.docChanged ? tr : null;
  },
}));

export const footnoteNodes = [footnoteRef, footnotes, footnote, footnotePlugin];

export interface Footnotes {
  section: Element;
  keys: string[];
}

/** @returns null unless each reference has one note, in the same order */
export function footnotesIn(nodes: Node[]): Footnotes | null {
  const elements = nodes.filter((node) => node instanceof Element);
  const [section, ...others] = elements.filter((element) => element.matches("section.footnotes"));
  if (!section || others.length > 0 || !section.matches(":has(> ol:only-child)")) return null;
  const keys = [...section.querySelectorAll(":scope > ol > *")].map(({ id }) => /^fn-(.+)/s.exec(id)?.[1]);
  const refs = elements.flatMap((element) => [...element.querySelectorAll("sup.footnote-ref")]);
  const isMatching =
    keys.length > 0 &&
    keys.length === refs.length &&
    new Set(keys).size === keys.length &&
    refs.every((ref, index) => footnoteKey(ref) !== null && footnoteKey(ref) === keys[index]);
  return isMatching ? { section, keys: keys as string[] } : null;
}

export function footnoteKey(sup: Element): string | null {
  const [link] = sup.children;
  const key = /^#fn-([\w:-]+)$/.exec(link?.getAttribute("href") ?? "")?.[1];
  const isPlatenReference =
    sup.childNodes.length === 1 && link?.localName === "a" && link.id === `fnref-${key}`;
  return key && isPlatenReference ? key : null;
}

/**
 * Removes the back link, which saving adds again.
 * @throws UnsupportedHtml unless the note has one back link
 */
export function noteOf(li: Element): Element {
  const copy = li.cloneNode(true) as Element;
  const back = copy.querySelectorAll("a.footnote-backref");
  if (back.length !== 1) throw new UnsupportedHtml();
  const text = back[0]?.previousSibling;
  if (text instanceof Text) text.data = text.data.replace(/\s+$/, "");
  back[0]?.remove();
  return copy;
}

/** A space before the cursor is replaced, so that the reference is next to the word. */
export function insertFootnote(editor: Editor): void {
  const key = crypto.randomUUID().slice(0, 8);
  const { $from, from } = editor.state.selection;
  const isAfterSpace = /\S\s$/.test($from.parent.textBetween(0, $from.parentOffset, undefined, "\uFFFC"));
  const place = { from: isAfterSpace ? from - 1 : from, to: from };
  editor.chain().focus().insertContentAt(place, { type: "footnoteRef", attrs: { key } }).run();
  enterNote(editor.view, key);
}
