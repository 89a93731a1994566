import { Node, type NodeViewRenderer } from "@tiptap/core";
import { carried, unseen } from "./preserved-markup";

/** A picture or video. Adjacent attachments form a gallery. */
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
    alt: { ...unseen<string | null>(null), parseHTML: (element) => element.getAttribute("data-alt") },
    /** The element's other attributes. */
    rest: carried<Record<string, string> | null>("rest", null),
    /** Counts upload steps, so that each step redraws the view. */
    seen: unseen(0),
    upload: { ...unseen(""), parseHTML: (element) => element.dataset.upload ?? "" },
  }),
  parseHTML: () => [{ tag: "action-text-attachment" }],
  renderHTML: ({ node: { attrs }, HTMLAttributes }) => {
    const { sgid, filename, contentType, caption, alt, upload } = attrs;
    const rest = { "data-kept-rest": HTMLAttributes["data-kept-rest"] };
    const written = { sgid, filename, "content-type": contentType, caption };
    const own = { ...(alt !== null && { "data-alt": alt }), ...(upload && { "data-upload": upload }) };
    return ["action-text-attachment", { ...written, ...own, ...(attrs.rest && rest) }];
  },
  addNodeView() {
    return this.options.view;
  },
});

function read(name: string) {
  return { default: "", parseHTML: (element: HTMLElement) => element.getAttribute(name) ?? "" };
}
