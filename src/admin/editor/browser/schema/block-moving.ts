import { type Editor, Extension } from "@tiptap/core";
import { NodeSelection, Selection, TextSelection } from "@tiptap/pm/state";

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
