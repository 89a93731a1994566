import type { Editor } from "@tiptap/core";
import { button, element } from "../html/elements";
import { drawing } from "../html/icons";
import type { BlockChoice } from "./slash-menu-choices";
import { TextTools } from "./toolbar-buttons";

export function stickyBar(editor: Editor, choices: BlockChoice[]): HTMLElement {
  const tools = new TextTools(editor, () => {});
  const open = button("Insert", () => show(sheet.hidden === true), drawing("plus"));
  const choiceButtons = choices.map((choice) =>
    button(choice.name, () => {
      show(false);
      choice.insert(editor);
    }),
  );
  const sheet = element("div", "choices", ...choiceButtons);
  const show = (isShown: boolean) => {
    sheet.hidden = !isShown;
    open.ariaExpanded = String(isShown);
  };
  show(false);
  const pick = choices[0] as BlockChoice;
  const undo = () => editor.chain().focus().undo().run();
  tools.dom.prepend(
    open,
    button(pick.name, () => pick.insert(editor), drawing(pick.icon)),
    button("Undo", undo, drawing("undo")),
  );
  const bar = element("div", "sticky-bar", sheet, tools.dom);
  editor.on("transaction", () => bar.checkVisibility() && tools.update());
  tools.update();
  const reposition = () => aboveKeyboard(bar);
  window.visualViewport?.addEventListener("resize", reposition);
  window.visualViewport?.addEventListener("scroll", reposition);
  const toggle = () => {
    const isFocused =
      editor.view.dom.contains(document.activeElement) || bar.contains(document.activeElement);
    bar.classList.toggle("is-shown", isFocused);
    if (!isFocused) show(false);
    reposition();
  };
  document.addEventListener("focusin", toggle);
  document.addEventListener("focusout", () => setTimeout(toggle));
  return bar;
}

/** Only the visual viewport shows how much the on-screen keyboard covers. */
function aboveKeyboard(bar: HTMLElement): void {
  const viewport = window.visualViewport;
  const covered = viewport ? innerHeight - viewport.height - viewport.offsetTop : 0;
  bar.style.bottom = `${Math.max(0, covered)}px`;
}
