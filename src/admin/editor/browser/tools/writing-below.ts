import { Extension } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { NodeSelection, Plugin, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";

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
