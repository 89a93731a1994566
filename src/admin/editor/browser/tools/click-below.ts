import { Extension } from "@tiptap/core";
import { Plugin, TextSelection } from "@tiptap/pm/state";

/** Below a picture that ends the page there is no line to tap: a tap there makes one, and goes on in it. */
export const writingBelow = Extension.create({
  name: "writingBelow",
  addProseMirrorPlugins() {
    return [
      new Plugin({
        props: {
          handleDOMEvents: {
            click(view, { target, clientY }) {
              const { doc, schema, tr } = view.state;
              const end = view.dom.lastElementChild?.getBoundingClientRect().bottom ?? 0;
              if (!view.editable || target !== view.dom || clientY < end || doc.lastChild?.isTextblock)
                return false;
              const line = tr.insert(doc.content.size, schema.node("paragraph"));
              view.dispatch(line.setSelection(TextSelection.atEnd(line.doc)).scrollIntoView());
              view.focus();
              return true;
            },
          },
        },
      }),
    ];
  },
});
