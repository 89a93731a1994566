import { Node, type NodeViewRenderer } from "@tiptap/core";
import { carried, unseen } from "./preserved-markup";

/** A picture or a video of the blog. Attachments that follow each other are shown as a gallery, here as in the page. */
export const attachment = Node.create<{ view: NodeViewRenderer | null }>({
  name: "attachment",
  group: "block",
  atom: true,
  draggable: true,
  selectable: true,
  addOptions: () => ({ view: null }),
  addAttributes: () => ({
    /** "" while it is being uploaded. */
    sgid: read("sgid"),
    filename: read("filename"),
    contentType: read("content-type"),
    caption: read("caption"),
    /** null: none was given; "" says that it decorates only. */
    alt: { ...unseen<string | null>(null), parseHTML: (element) => element.getAttribute("data-alt") },
    /** Attributes of its element that are others'. */
    rest: carried<Record<string, string> | null>("rest", null),
    /** Counts steps of its upload, so that its view is drawn anew. */
    seen: unseen(0),
    /** Which of the uploads of this page it is. */
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
