import type { Extensions } from "@tiptap/core";
import Code from "@tiptap/extension-code";
import CodeBlock from "@tiptap/extension-code-block";
import Link from "@tiptap/extension-link";
import { TaskItem, TaskList } from "@tiptap/extension-list";
import StarterKit from "@tiptap/starter-kit";
import { footnoteNodes } from "./footnote-nodes";
import { inlineIsland, island } from "./islands";
import { carried, keptAttributes, keptMark } from "./preserved-markup";
import { tables } from "./tables";
import { embed } from "./video-player";

export const codeBlock = CodeBlock.extend({
  addAttributes() {
    return {
      ...this.parent?.(),
      /** True if the `pre` element contains no `code` element. */
      isBare: carried("isBare", false),
      inner: carried<Record<string, string> | null>("inner", null),
      /** The line break that Markdown adds after the code's last line. */
      end: carried("end", ""),
    };
  },
});

/** A link that preserves its URL and `rel` unchanged. */
export const link = Link.extend({
  addAttributes: () => ({ href: { default: "", parseHTML: (element) => element.getAttribute("href") } }),
}).configure({ openOnClick: false, autolink: true, linkOnPaste: true, defaultProtocol: "https" });

/** Extensions for all post content except attachments, which need an upload URL. */
export const schemaExtensions: Extensions = [
  StarterKit.configure({ code: false, codeBlock: false, link: false }),
  // Allows bold and linked code.
  Code.extend({ excludes: "" }),
  codeBlock,
  link,
  TaskList,
  TaskItem.extend({
    addAttributes() {
      return { ...this.parent?.(), box: carried<Record<string, string> | null>("box", null) };
    },
  }).configure({ nested: true, a11y: { checkboxLabel: () => "Done" } }),
  ...tables,
  ...footnoteNodes,
  embed,
  island,
  inlineIsland,
  keptMark,
  keptAttributes,
];
