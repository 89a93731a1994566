import { type Editor, Node, type NodeViewRenderer } from "@tiptap/core";
import { NodeSelection } from "@tiptap/pm/state";
import { asDataAttribute } from "./preserved-markup";

export const attachment = Node.create<{ view: NodeViewRenderer | null }>({
  name: "attachment",
  group: "block",
  atom: true,
  draggable: true,
  selectable: true,
  addOptions: () => ({ view: null }),
  addAttributes: () => ({
    /** The file's signed id; "" while it is uploading. */
    sgid: text("sgid"),
    filename: text("filename"),
    contentType: text("contentType", "content-type"),
    caption: text("caption"),
    /** null if the file has no alt text; "" if it is decorative. */
    alt: text("alt", "data-alt", null),
    rest: asDataAttribute<Record<string, string> | null>("rest", null),
    upload: text("upload", "data-upload"),
  }),
  parseHTML: () => [{ tag: "action-text-attachment" }],
  renderHTML: ({ HTMLAttributes }) => ["action-text-attachment", HTMLAttributes],
  addNodeView() {
    return this.options.view;
  },
  addKeyboardShortcuts: () => ({ Tab: ({ editor }) => focusTools(editor) }),
});

/** The browser would go to the first button in the text, not to those of the selected picture. */
function focusTools({ state, view }: Editor): boolean {
  const { selection } = state;
  const figure = view.nodeDOM(selection.from);
  if (!(selection instanceof NodeSelection && figure instanceof HTMLElement)) return false;
  const tool = figure.querySelector<HTMLElement>("button");
  tool?.focus();
  return tool !== null;
}

/** Not Tiptap's own attributes, because these turn digits into a number. */
function text(name: string, htmlName = name, missing: string | null = "") {
  return {
    default: missing,
    parseHTML: (element: HTMLElement) => element.getAttribute(htmlName) ?? missing,
    renderHTML: ({ [name]: value }: Record<string, unknown>) => (value === null ? {} : { [htmlName]: value }),
  };
}
