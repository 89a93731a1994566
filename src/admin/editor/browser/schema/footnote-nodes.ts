import { type Editor, Extension, findChildren, findParentNode, Node } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { Plugin, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { asDataAttribute, documentOnly } from "./preserved-markup";

/**
 * A reference to a footnote. In stored HTML, the footnote's id is "fn-KEY" and the reference's is
 * "fnref-KEY".
 */
const footnoteRef = Node.create({
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

const footnotes = Node.create({
  name: "footnotes",
  group: "block",
  content: "footnote+",
  isolating: true,
  parseHTML: () => [{ tag: "section.footnotes" }],
  renderHTML: () => ["section", { class: "footnotes", "aria-label": "Footnotes" }, ["ol", 0]],
});

const footnote = Node.create({
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
  addKeyboardShortcuts() {
    const leave = () => {
      const { $from } = this.editor.state.selection;
      return $from.node(-1)?.type.name === "footnote" && leaveNote(this.editor, $from.node(-1).attrs.key);
    };
    return { Enter: leave, Escape: leave };
  },
  addProseMirrorPlugins: () => [
    new Plugin({
      view: () => ({ update: showNote }),
      props: {
        handleDOMEvents: {
          focus: (view) => void setTimeout(() => view.isDestroyed || showNote(view)),
          blur: (view) => void setTimeout(() => view.isDestroyed || showNote(view)),
        },
        handleClickOn: (view, _at, { type, attrs }) =>
          type.name === "footnoteRef" && enterNote(view, attrs.key),
      },
    }),
  ],
});

export function enterNote(view: EditorView, key: string): boolean {
  const { doc, tr } = view.state;
  const [note] = findChildren(doc, ({ type, attrs }) => type.name === "footnote" && attrs.key === key);
  if (note) tr.setSelection(TextSelection.near(doc.resolve(note.pos + note.node.nodeSize - 1), -1));
  view.dispatch(tr.scrollIntoView());
  view.focus();
  return true;
}

function leaveNote({ view }: Editor, key: string): boolean {
  const { doc, tr } = view.state;
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

/**
 * Numbers references, sorts footnotes by them, adds missing footnotes, and deletes footnotes without a
 * reference.
 */
const footnoteOrder = Extension.create({
  name: "footnoteOrder",
  addProseMirrorPlugins: () => [
    new Plugin({
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
    }),
  ],
});

export const footnoteNodes = [footnoteRef, footnotes, footnote, footnoteOrder];
