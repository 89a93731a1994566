import type { NodeViewRenderer } from "@tiptap/core";
import CodeBlock from "@tiptap/extension-code-block";
import { element, onKeys } from "./elements-and-icons";
import { asDataAttribute } from "./preserved-markup";

export const codeBlock = CodeBlock.extend({
  addAttributes() {
    return {
      ...this.parent?.(),
      /** True if the `pre` element contains no `code` element. */
      isBare: asDataAttribute("isBare", false),
      inner: asDataAttribute<Record<string, string> | null>("inner", null),
      /** The line break that Markdown adds after the code's last line. */
      end: asDataAttribute("end", ""),
    };
  },
  addNodeView: () => codeView,
});

const codeView: NodeViewRenderer = ({ node, editor, getPos }) => {
  const language = element("input", {
    placeholder: "Language",
    ariaLabel: "Language",
    contentEditable: "false",
    spellcheck: false,
    autocapitalize: "none",
    value: node.attrs.language ?? "",
  });
  language.setAttribute("list", "code-languages");
  language.addEventListener("change", () => {
    const languageName = language.value.toLowerCase().replace(/[^\w+#.-]/g, "") || null;
    editor.view.dispatch(editor.state.tr.setNodeAttribute(getPos() ?? 0, "language", languageName));
  });
  const leave = () => {
    language.dispatchEvent(new Event("change"));
    editor.commands.focus((getPos() ?? 0) + 1);
  };
  onKeys(language, { Enter: leave, Escape: leave });
  const contentDOM = element("code");
  const dom = element("div", "code-block", language, element("pre", {}, contentDOM));
  return {
    dom,
    contentDOM,
    update: (content) => {
      if (content.type !== node.type) return false;
      if (document.activeElement !== language) language.value = content.attrs.language ?? "";
      return true;
    },
    stopEvent: ({ target }) => target === language,
    ignoreMutation: (mutation) => mutation.type !== "selection" && !contentDOM.contains(mutation.target),
  };
};
