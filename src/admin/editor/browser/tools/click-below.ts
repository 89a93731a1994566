import { Extension } from "@tiptap/core";
import { Plugin, TextSelection } from "@tiptap/pm/state";

/** A click below a picture at the end of the post adds an empty paragraph. */
export const clickBelow = Extension.create({
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
