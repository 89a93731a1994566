import Link from "@tiptap/extension-link";

/** As it was written, `rel` and all; a web address pasted on selected text makes a link of it. */
export const link = Link.extend({
  addAttributes: () => ({ href: { default: "", parseHTML: (element) => element.getAttribute("href") } }),
}).configure({ openOnClick: false, autolink: true, linkOnPaste: true, defaultProtocol: "https" });
