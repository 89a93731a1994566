import CodeBlock from "@tiptap/extension-code-block";
import { unseen } from "./kept-attributes";

export const codeBlock = CodeBlock.extend({
  addAttributes() {
    return {
      ...this.parent?.(),
      /** A `pre` without a `code` in it. */
      isBare: unseen(false),
      /** Attributes of the `code`. */
      inner: unseen<Record<string, string> | null>(null),
      /** The line end that Markdown puts behind the last line. */
      end: unseen(""),
    };
  },
});
