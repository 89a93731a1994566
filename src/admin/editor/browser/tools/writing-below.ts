import { Extension } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { Plugin, TextSelection } from "@tiptap/pm/state";

/** Footnotes at the end are not part of the text. */
export function endOfText(doc: Content): number {
  const last = doc.lastChild;
  return doc.content.size - (last?.type.name === "footnotes" ? last.nodeSize : 0);
}

/** Keeps a paragraph at the end of the text. A click below the text moves the cursor there. */
export const writingBelow = Extension.create({
  name: "writingBelow",
  addProseMirrorPlugins() {
    return [
      new Plugin({
        appendTransaction(_transactions, _before, { doc, schema, tr }) {
          const end = endOfText(doc);
          const isThere = doc.resolve(end).nodeBefore?.type.name === "paragraph";
          return isThere ? null : tr.insert(end, schema.node("paragraph"));
        },
        props: {
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
