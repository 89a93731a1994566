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
      /** A `pre` without a `code` in it. */
      isBare: carried("isBare", false),
      /** Attributes of the `code`. */
      inner: carried<Record<string, string> | null>("inner", null),
      /** The line end that Markdown puts behind the last line. */
      end: carried("end", ""),
    };
  },
});

/** As it was written, `rel` and all; a web address pasted on selected text makes a link of it. */
export const link = Link.extend({
  addAttributes: () => ({ href: { default: "", parseHTML: (element) => element.getAttribute("href") } }),
}).configure({ openOnClick: false, autolink: true, linkOnPaste: true, defaultProtocol: "https" });

/** All that a post's page may hold in the editor, attachments apart, which need to know where files go. */
export const schemaExtensions: Extensions = [
  StarterKit.configure({ code: false, codeBlock: false, link: false }),
  // Not alone: code may be strong, or a link.
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
