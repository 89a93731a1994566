import type { Extensions } from "@tiptap/core";
import Blockquote from "@tiptap/extension-blockquote";
import Bold from "@tiptap/extension-bold";
import Code from "@tiptap/extension-code";
import Document from "@tiptap/extension-document";
import HardBreak from "@tiptap/extension-hard-break";
import Heading from "@tiptap/extension-heading";
import HorizontalRule from "@tiptap/extension-horizontal-rule";
import Italic from "@tiptap/extension-italic";
import { BulletList, ListItem, ListKeymap, OrderedList, TaskItem, TaskList } from "@tiptap/extension-list";
import Paragraph from "@tiptap/extension-paragraph";
import Strike from "@tiptap/extension-strike";
import Text from "@tiptap/extension-text";
import Underline from "@tiptap/extension-underline";
import { Dropcursor, Gapcursor, UndoRedo } from "@tiptap/extensions";
import { callout, toggle, toggleTitle } from "./callouts-and-toggles";
import { codeBlock } from "./code-block";
import { footnoteNodes } from "./footnotes";
import { link } from "./links";
import { asDataAttribute, keptAttributes, keptMark } from "./preserved-markup";
import { tables } from "./tables";
import { inlineIsland, island } from "./unsupported-html";

/** Extensions for all post content except attachments and cards, whose views need the upload queue. */
export const schemaExtensions: Extensions = [
  // Not the starter kit, because it contains a large link parser.
  ...[Bold, Blockquote, BulletList, Document, Dropcursor, Gapcursor, HardBreak, Heading, UndoRedo],
  ...[HorizontalRule, Italic, ListItem, ListKeymap, OrderedList, Paragraph, Strike, Text, Underline],
  // Allows code to be bold or a link.
  Code.extend({ excludes: "" }),
  codeBlock,
  link,
  TaskList,
  TaskItem.extend({
    addAttributes() {
      return { ...this.parent?.(), box: asDataAttribute<Record<string, string> | null>("box", null) };
    },
  }).configure({ nested: true, a11y: { checkboxLabel: () => "Done" } }),
  ...tables,
  ...footnoteNodes,
  callout,
  toggle,
  toggleTitle,
  island,
  inlineIsland,
  keptMark,
  keptAttributes,
];
