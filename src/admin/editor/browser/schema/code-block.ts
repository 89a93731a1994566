import CodeBlock from "@tiptap/extension-code-block";
import { carried } from "./kept-attributes";

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
