import { type Editor, Extension, Node } from "@tiptap/core";
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
  doc.descendants((node, at) => {
    if (node.type.name === "footnote" && node.attrs.key === key)
      tr.setSelection(TextSelection.near(doc.resolve(at + node.nodeSize - 1), -1));
  });
  view.dispatch(tr.scrollIntoView());
  view.focus();
  return true;
}

function leaveNote({ view }: Editor, key: string): boolean {
  const { doc, tr } = view.state;
  let place: number | null = null;
  doc.descendants((node, at) => {
    if (node.type.name === "footnoteRef" && node.attrs.key === key) place ??= at + 1;
  });
  if (place === null) return false;
  view.dispatch(tr.setSelection(TextSelection.create(doc, place)).scrollIntoView());
  return true;
}

const GAP = 14;

/** While a footnote contains the cursor, shows it below its reference instead of at the end of the text. */
function showNote(view: EditorView): void {
  const { $from } = view.state.selection;
  const depth = [...Array($from.depth + 1).keys()].find((one) => $from.node(one).type.name === "footnote");
  const key: string | null = depth !== undefined && view.hasFocus() ? $from.node(depth).attrs.key : null;
  const open = view.dom.querySelector<HTMLElement>("li.is-open");
  const note =
    key === null ? null : view.dom.querySelector<HTMLElement>(`li[data-note="${CSS.escape(key)}"]`);
  if (open && open !== note) open.classList.remove("is-open");
  const ref = note && view.dom.querySelector(`sup[data-footnote="${CSS.escape(key as string)}"]`);
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
        const places: { node: Content; at: number }[] = [];
        let notes: { node: Content; at: number } | null = null;
        doc.descendants((node, at) => {
          if (node.type.name === "footnoteRef") places.push({ node, at });
          if (node.type.name === "footnotes") notes ??= { node, at };
        });
        let isChanged = false;
        const keys = [...new Set(places.map(({ node }) => node.attrs.key as string))];
        for (const { node, at } of places) {
          const number = keys.indexOf(node.attrs.key) + 1;
          if (node.attrs.number === number) continue;
          tr.setNodeAttribute(at, "number", number);
          isChanged = true;
        }
        const found = notes as { node: Content; at: number } | null;
        if (!found && keys.length === 0) return isChanged ? tr : null;
        const byKey = new Map<string, Content>();
        found?.node.forEach((note) => void (byKey.has(note.attrs.key) || byKey.set(note.attrs.key, note)));
        const inOrder = keys.map(
          (key) => byKey.get(key) ?? (schema.nodes.footnote?.createAndFill({ key }) as Content),
        );
        const isInOrder =
          found?.node.childCount === inOrder.length &&
          inOrder.every((note, at) => found.node.child(at) === note);
        if (!isInOrder) {
          isChanged = true;
          const section =
            inOrder.length > 0 ? schema.nodes.footnotes?.create(found?.node.attrs, inOrder) : null;
          const [from, to] = found
            ? [found.at, found.at + found.node.nodeSize]
            : [doc.content.size, doc.content.size];
          if (section) tr.replaceWith(from, to, section);
          else tr.delete(from, to);
        }
        return isChanged ? tr : null;
      },
    }),
  ],
});

export const footnoteNodes = [footnoteRef, footnotes, footnote, footnoteOrder];
