import type { NodeViewRenderer } from "@tiptap/core";
import { element } from "../html/elements";

export const codeView: NodeViewRenderer = ({ node, editor, getPos }) => {
  const dom = element("div", "code-block");
  const language = element("input");
  language.setAttribute("list", "code-languages");
  language.placeholder = "Language";
  language.ariaLabel = "Language";
  language.contentEditable = "false";
  language.spellcheck = false;
  language.autocapitalize = "none";
  language.value = node.attrs.language ?? "";
  language.addEventListener("change", () => {
    const languageName =
      language.value
        .trim()
        .toLowerCase()
        .replace(/[^\w+#.-]/g, "") || null;
    editor.view.dispatch(editor.state.tr.setNodeAttribute(getPos() ?? 0, "language", languageName));
  });
  language.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    language.dispatchEvent(new Event("change"));
    editor
      .chain()
      .focus((getPos() ?? 0) + 1)
      .run();
  });
  const pre = element("pre");
  const contentDOM = element("code");
  pre.append(contentDOM);
  dom.append(language, pre);
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
