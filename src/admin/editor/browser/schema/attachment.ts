import { type Editor, Node, type NodeViewRenderer } from "@tiptap/core";
import { NodeSelection } from "@tiptap/pm/state";
import { asDataAttribute, documentOnly } from "./preserved-markup";

export const attachment = Node.create<{ view: NodeViewRenderer | null }>({
  name: "attachment",
  group: "block",
  atom: true,
  draggable: true,
  selectable: true,
  addOptions: () => ({ view: null }),
  addAttributes: () => ({
    /** The file's signed id; "" while it is uploading. */
    sgid: read("sgid"),
    filename: read("filename"),
    contentType: read("content-type"),
    caption: read("caption"),
    /** null if the file has no alt text; "" if it is decorative. */
    alt: { ...documentOnly<string | null>(null), parseHTML: (element) => element.getAttribute("data-alt") },
    rest: asDataAttribute<Record<string, string> | null>("rest", null),
    upload: { ...documentOnly(""), parseHTML: (element) => element.dataset.upload ?? "" },
  }),
  parseHTML: () => [{ tag: "action-text-attachment" }],
  renderHTML: ({ node: { attrs }, HTMLAttributes }) => {
    const { sgid, filename, contentType, caption, alt, upload } = attrs;
    const rest = { "data-kept-rest": HTMLAttributes["data-kept-rest"] };
    const fileAttributes = { sgid, filename, "content-type": contentType, caption };
    const editorAttributes = {
      ...(alt !== null && { "data-alt": alt }),
      ...(upload && { "data-upload": upload }),
    };
    return ["action-text-attachment", { ...fileAttributes, ...editorAttributes, ...(attrs.rest && rest) }];
  },
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

function read(name: string) {
  return { default: "", parseHTML: (element: HTMLElement) => element.getAttribute(name) ?? "" };
}
