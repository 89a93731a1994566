import { type Editor, Extension } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { NodeSelection, Plugin, Selection, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";

/** @param at a position at or in the top-level block to move */
export function moveBlock(editor: Editor, at: number, by: -1 | 1): boolean {
  const { doc, tr, selection } = editor.state;
  const place = doc.resolve(at);
  const index = place.index(0);
  const block = doc.child(index);
  const from = place.depth === 0 ? at : place.before(1);
  if (index + by < 0 || index + by >= doc.childCount) return false;
  const neighbor = doc.child(index + by);
  const to = by < 0 ? from - neighbor.nodeSize : from + neighbor.nodeSize;
  tr.delete(from, from + block.nodeSize).insert(to, block);
  const inside = selection.from - from;
  tr.setSelection(
    selection instanceof NodeSelection
      ? NodeSelection.create(tr.doc, to)
      : selection instanceof TextSelection && inside >= 0 && inside <= block.nodeSize
        ? Selection.near(tr.doc.resolve(to + inside))
        : tr.selection,
  );
  editor.view.dispatch(tr.scrollIntoView());
  return true;
}

export const blockMoving = Extension.create({
  name: "blockMoving",
  addKeyboardShortcuts() {
    const move = (by: -1 | 1) => () => {
      const { $from } = this.editor.state.selection;
      return moveBlock(this.editor, $from.depth === 0 ? $from.pos : $from.before(1), by);
    };
    return { "Alt-ArrowUp": move(-1), "Alt-ArrowDown": move(1) };
  },
});

/** Footnotes at the end are not part of the text. */
export function endOfText(doc: Content): number {
  const last = doc.lastChild;
  return doc.content.size - (last?.type.name === "footnotes" ? last.nodeSize : 0);
}

/** Otherwise, typing would replace a selected picture, player or card, and Enter might add a line above it. */
function writeBelowSelectedBlock(view: EditorView, text = ""): boolean {
  const { selection, schema, doc, tr } = view.state;
  if (!(selection instanceof NodeSelection && selection.node.isBlock && selection.node.isAtom)) return false;
  const { to } = selection;
  const next = doc.nodeAt(to);
  if (next?.type.name !== "paragraph" || next.content.size > 0) tr.insert(to, schema.node("paragraph"));
  if (text !== "") tr.insertText(text, to + 1);
  view.dispatch(tr.setSelection(TextSelection.create(tr.doc, to + 1 + text.length)).scrollIntoView());
  return true;
}

/** Keeps a paragraph at the end of the text. A click below the text moves the cursor there. */
export const writingBelow = Extension.create({
  name: "writingBelow",
  addKeyboardShortcuts: () => ({ Enter: ({ editor }) => writeBelowSelectedBlock(editor.view) }),
  addProseMirrorPlugins() {
    return [
      new Plugin({
        appendTransaction(_transactions, _before, { doc, schema, tr }) {
          const end = endOfText(doc);
          const isThere = doc.resolve(end).nodeBefore?.type.name === "paragraph";
          return isThere ? null : tr.insert(end, schema.node("paragraph"));
        },
        props: {
          handleTextInput: (view, _from, _to, text) => writeBelowSelectedBlock(view, text),
          handleDOMEvents: {
            click(view, { target, clientY }) {
              const { doc, schema, tr } = view.state;
              const bottom = view.dom.lastElementChild?.getBoundingClientRect().bottom ?? 0;
              if (!view.editable || target !== view.dom || clientY < bottom || doc.lastChild?.isTextblock)
                return false;
              const end = endOfText(doc);
              if (!doc.resolve(end).nodeBefore?.isTextblock) tr.insert(end, schema.node("paragraph"));
              const place = tr.doc.resolve(endOfText(tr.doc));
              view.dispatch(tr.setSelection(TextSelection.near(place, -1)).scrollIntoView());
              view.focus();
              return true;
            },
          },
        },
      }),
    ];
  },
});
