import type { Extensions } from "@tiptap/core";
import Code from "@tiptap/extension-code";
import { TaskItem, TaskList } from "@tiptap/extension-list";
import StarterKit from "@tiptap/starter-kit";
import { codeBlock } from "./code-block";
import { footnoteNodes } from "./footnote-nodes";
import { inlineIsland, island } from "./islands";
import { carried, keptAttributes } from "./kept-attributes";
import { keptMark } from "./kept-mark";
import { link } from "./links";
import { tables } from "./tables";
import { embed } from "./video-player";

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
