import type { Editor } from "@tiptap/core";
import { keydownHandler } from "@tiptap/pm/keymap";
import type { Node as Content } from "@tiptap/pm/model";
import { type Command, NodeSelection, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { editorPlugin } from "./editor-plugin";

/** @param at a position at or in the top-level block to move */
export function moveBlock(editor: Editor, at: number, by: -1 | 1): boolean {
  const { doc, selection, tr } = editor.state;
  const place = doc.resolve(at);
  const index = place.index(0);
  if (index + by < 0 || index + by >= doc.childCount) return false;
  const block = doc.child(index);
  const neighbor = doc.child(index + by);
  const [upper, lower] = by < 0 ? [neighbor, block] : [block, neighbor];
  const from = place.depth === 0 ? at : place.before(1);
  const start = by < 0 ? from - neighbor.nodeSize : from;
  const middle = start + upper.nodeSize;
  // Moves the one without the cursor, so that the cursor stays in its text.
  if (selection.from < middle) tr.delete(middle, middle + lower.nodeSize).insert(start, lower);
  else tr.delete(start, middle).insert(start + lower.nodeSize, upper);
  editor.view.dispatch(tr.scrollIntoView());
  return true;
}

export const blockMoving = editorPlugin("blockMoving", (editor) => {
  const move =
    (by: -1 | 1): Command =>
    ({ selection: { $from } }) =>
      moveBlock(editor, $from.depth === 0 ? $from.pos : $from.before(1), by);
  return { props: { handleKeyDown: keydownHandler({ "Alt-ArrowUp": move(-1), "Alt-ArrowDown": move(1) }) } };
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
export const writingBelow = editorPlugin("writingBelow", () => ({
  appendTransaction(_transactions, _before, { doc, schema, tr }) {
    const end = endOfText(doc);
    const isThere = doc.resolve(end).nodeBefore?.type.name === "paragraph";
    return isThere ? null : tr.insert(end, schema.node("paragraph"));
  },
  props: {
    handleKeyDown: keydownHandler({
      Enter: (_state, _dispatch, view) => view !== undefined && writeBelowSelectedBlock(view),
    }),
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
}));
