import { Extension } from "@tiptap/core";
import { NodeSelection, Plugin } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { floatingPlace, placeAt } from "./floating-position";
import { TextTools } from "./toolbar-buttons";

/** Touch screens and narrow windows have the mobile toolbar instead. */
export const selectionToolbar = Extension.create({
  name: "selectionToolbar",
  addStorage: () => ({ askForLink: () => {} }),
  addKeyboardShortcuts() {
    return {
      "Mod-k": ({ editor }) => {
        // Without a selection, the key opens the search.
        if (editor.state.selection.empty && !editor.isActive("link")) return false;
        this.storage.askForLink();
        return true;
      },
    };
  },
  addProseMirrorPlugins() {
    const { editor } = this;
    const tools = new TextTools(editor, () => update(editor.view));
    tools.dom.classList.add("floating");
    tools.dom.hidden = true;
    floatingPlace().append(tools.dom);
    const update = (view: EditorView) => {
      const { selection } = view.state;
      const { from, to, empty } = selection;
      const isText = !empty && !(selection instanceof NodeSelection) && !editor.isActive("codeBlock");
      const isVisible = tools.isLinkFormOpen || ((isText || editor.isActive("table")) && view.hasFocus());
      tools.dom.hidden = !isVisible || matchMedia("(max-width: 55.99rem), (pointer: coarse)").matches;
      if (tools.dom.hidden) return;
      tools.dom.classList.toggle("has-selection", isText);
      tools.update();
      const [start, end] = [view.coordsAtPos(from), view.coordsAtPos(to)];
      const selected = {
        left: start.left,
        right: Math.max(start.left, end.right),
        top: start.top,
        bottom: end.bottom,
      };
      // Places the toolbar above the whole table, so that its header row stays readable.
      const table = view.domAtPos(from).node.parentElement?.closest("table");
      placeAt(tools.dom, table?.getBoundingClientRect() ?? selected, "above", view.dom);
    };
    this.storage.askForLink = () => {
      tools.askForLink();
      update(editor.view);
    };
    const leave = () => setTimeout(() => tools.dom.contains(document.activeElement) || update(editor.view));
    return [
      new Plugin({
        view: (view) => {
          const follow = () => tools.dom.hidden || update(view);
          addEventListener("scroll", follow, { passive: true });
          return {
            update,
            destroy: () => {
              removeEventListener("scroll", follow);
              tools.dom.remove();
            },
          };
        },
        props: {
          handleDOMEvents: {
            blur: () => void leave(),
            focus: (view) => void setTimeout(() => update(view)),
          },
        },
      }),
    ];
  },
});
