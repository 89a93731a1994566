import type { ChainedCommands, Editor } from "@tiptap/core";
import { keydownHandler } from "@tiptap/pm/keymap";
import { type Command, NodeSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { editorPlugin } from "./editor-plugin";
import { button, type DrawingName, drawing, element, onKeys } from "./elements-and-icons";

export interface Tool {
  name: string;
  icon: DrawingName;
  act(editor: Editor): void;
  isOn?(editor: Editor): boolean;
}

const MARKS = [
  toggle("Bold", "bold", (chain) => chain.toggleMark("bold"), "bold"),
  toggle("Italic", "italic", (chain) => chain.toggleMark("italic"), "italic"),
  toggle("Strikethrough", "strike", (chain) => chain.toggleMark("strike"), "strike"),
  toggle("Code", "code", (chain) => chain.toggleMark("code"), "code"),
];
const BLOCKS = [
  toggle("Heading", "heading", (chain) => chain.toggleHeading({ level: 2 }), "heading", { level: 2 }),
  toggle("Subheading", "subheading", (chain) => chain.toggleHeading({ level: 3 }), "heading", { level: 3 }),
  toggle("Quote", "quote", (chain) => chain.toggleBlockquote(), "blockquote"),
];
const CELLS = [
  tool("Row below", "rowBelow", (chain) => chain.addRowAfter()),
  tool("Column to the right", "columnRight", (chain) => chain.addColumnAfter()),
  tool("Delete row", "rowGone", (chain) => chain.deleteRow()),
  tool("Delete column", "columnGone", (chain) => chain.deleteColumn()),
  alignment("Align left", "left"),
  alignment("Align center", "center"),
  alignment("Align right", "right"),
  tool("Delete table", "remove", (chain) => chain.deleteTable()),
];

type Change = (chain: ChainedCommands, editor: Editor) => ChainedCommands;

export function run(change: Change): Tool["act"] {
  return (editor) => change(editor.chain().focus(), editor).run();
}

function tool(name: string, icon: DrawingName, change: Change): Tool {
  return { name, icon, act: run(change) };
}

/** @param type the mark or node that the tool turns on */
function toggle(name: string, icon: DrawingName, change: Change, type: string, attributes = {}): Tool {
  return { ...tool(name, icon, change), isOn: (editor) => editor.isActive(type, attributes) };
}

function alignment(name: string, side: "left" | "center" | "right"): Tool {
  const isOn = (editor: Editor) => editor.isActive({ alignment: side });
  const change: Change = (chain, editor) => chain.setCellAttribute("alignment", isOn(editor) ? "" : side);
  return { ...tool(name, side, change), isOn };
}

class TextTools {
  readonly dom = element("div", { className: "text-tools", role: "toolbar", ariaLabel: "Selected text" });
  readonly #buttons: { tool: Tool; control: HTMLButtonElement }[] = [];
  readonly #cells = element("div", "tools", ...CELLS.map((tool) => this.#button(tool)));
  readonly #texts = element("div", "tools");
  readonly #address = element("input", {
    type: "text",
    inputMode: "url",
    placeholder: "https://",
    ariaLabel: "Link address",
  });
  readonly #removeLink = button("Remove link", () => this.#unlink());
  readonly #linkForm = element("form", { className: "link-form", hidden: true });

  constructor(
    readonly editor: Editor,
    readonly onClose: () => void,
  ) {
    const isOn = () => editor.isActive("link");
    const link: Tool = { name: "Link", icon: "link", act: () => this.askForLink(), isOn };
    this.#texts.append(...[...MARKS, link, ...BLOCKS].map((tool) => this.#button(tool)));
    this.#linkForm.append(
      this.#address,
      button("Link", () => this.#link()),
      this.#removeLink,
    );
    onKeys(this.#address, { Enter: () => this.#link(), Escape: () => this.#closeLink() });
    this.dom.append(this.#texts, this.#cells, this.#linkForm);
  }

  get isLinkFormOpen(): boolean {
    return !this.#linkForm.hidden;
  }

  update(): void {
    this.#cells.hidden = this.isLinkFormOpen || !this.editor.isActive("table");
    this.#texts.hidden = this.isLinkFormOpen;
    // Skips unchanged values, because each write makes the browser recalculate styles.
    for (const { tool, control } of this.#buttons)
      if (tool.isOn && control.ariaPressed !== String(tool.isOn(this.editor)))
        control.ariaPressed = String(tool.isOn(this.editor));
  }

  askForLink(): void {
    this.#address.value = this.editor.getAttributes("link").href ?? "";
    this.#removeLink.hidden = !this.editor.isActive("link");
    this.#linkForm.hidden = false;
    this.update();
    // The browser hides the text's selection while the field has the focus, so a highlight replaces the
    // selection.
    const selection = getSelection();
    if (selection?.rangeCount)
      CSS.highlights?.set("linked-text", new Highlight(selection.getRangeAt(0).cloneRange()));
    this.#address.focus();
    this.#address.select();
  }

  #link(): void {
    const address = this.#address.value.trim();
    if (!address) return void this.#unlink();
    const href = /^([a-z][a-z0-9+.-]*:|[/#?])/i.test(address) ? address : `https://${address}`;
    this.#closeLink();
    const chain = this.editor.chain().focus().extendMarkRange("link");
    if (this.editor.state.selection.empty && !this.editor.isActive("link"))
      chain.insertContent({ type: "text", text: address, marks: [{ type: "link", attrs: { href } }] }).run();
    else chain.setMark("link", { href }).run();
  }

  #unlink(): void {
    this.#closeLink();
    this.editor.chain().focus().extendMarkRange("link").unsetMark("link").run();
  }

  #closeLink(): void {
    this.#linkForm.hidden = true;
    CSS.highlights?.delete("linked-text");
    this.update();
    this.editor.commands.focus();
    this.onClose();
  }

  #button(tool: Tool): HTMLButtonElement {
    const control = button(tool.name, () => tool.act(this.editor), drawing(tool.icon));
    this.#buttons.push({ tool, control });
    return control;
  }
}

/** Touch screens and narrow windows have the mobile toolbar instead. */
export const selectionToolbar = editorPlugin("selectionToolbar", (editor) => {
  const tools = new TextTools(editor, () => update(editor.view));
  tools.dom.classList.add("floating");
  tools.dom.hidden = true;
  floatingPlace().append(tools.dom);
  const update = (view: EditorView) => {
    const { selection } = view.state;
    const { from, to, empty } = selection;
    const isText = !empty && !(selection instanceof NodeSelection) && !editor.isActive("codeBlock");
    const isVisible = tools.isLinkFormOpen || ((isText || editor.isActive("table")) && view.hasFocus());
    tools.dom.hidden = !isVisible || matchMedia("(max-width: 55.99rem), (pointer: coarse)").matches;
    if (tools.dom.hidden) return;
    tools.dom.classList.toggle("has-selection", isText);
    tools.update();
    const [start, end] = [view.coordsAtPos(from), view.coordsAtPos(to)];
    const selected = { ...start, right: Math.max(start.left, end.right), bottom: end.bottom };
    // Places the toolbar above the whole table, so that its header row stays readable.
    const table = view.domAtPos(from).node.parentElement?.closest("table");
    placeAt(tools.dom, table?.getBoundingClientRect() ?? selected, "above", view.dom);
  };
  const askForLink: Command = ({ selection }) => {
    // Without a selection, the key opens the search.
    if (selection.empty && !editor.isActive("link")) return false;
    tools.askForLink();
    update(editor.view);
    return true;
  };
  const leave = () => setTimeout(() => tools.dom.contains(document.activeElement) || update(editor.view));
  return {
    view: (view) => {
      const follow = () => tools.dom.hidden || update(view);
      addEventListener("scroll", follow, { passive: true });
      return {
        update,
        destroy: () => {
          removeEventListener("scroll", follow);
          tools.dom.remove();
        },
      };
    },
    props: {
      handleKeyDown: keydownHandler({ "Mod-k": askForLink }),
      handleDOMEvents: {
        blur: () => void leave(),
        focus: (view) => void setTimeout(() => update(view)),
      },
    },
  };
});

export function stickyBar(editor: Editor, choices: Tool[]): HTMLElement {
  const tools = new TextTools(editor, () => {});
  const open = button("Insert", () => show(sheet.hidden === true), drawing("plus"));
  const choiceButtons = choices.map((choice) =>
    button(choice.name, () => {
      show(false);
      choice.act(editor);
    }),
  );
  const sheet = element("div", "choices", ...choiceButtons);
  const show = (isShown: boolean) => {
    sheet.hidden = !isShown;
    open.ariaExpanded = String(isShown);
  };
  show(false);
  const pick = choices[0] as Tool;
  const undo = () => editor.chain().focus().undo().run();
  tools.dom.prepend(
    open,
    button(pick.name, () => pick.act(editor), drawing(pick.icon)),
    button("Undo", undo, drawing("undo")),
  );
  const bar = element("div", "sticky-bar", sheet, tools.dom);
  editor.on("transaction", () => bar.checkVisibility() && tools.update());
  tools.update();
  // Only the visual viewport shows how much the on-screen keyboard covers.
  const reposition = () => {
    const { height, offsetTop } = window.visualViewport ?? { height: innerHeight, offsetTop: 0 };
    bar.style.bottom = `${Math.max(0, innerHeight - height - offsetTop)}px`;
  };
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

const GAP = 8;

type Box = Pick<DOMRect, "left" | "right" | "top" | "bottom">;

export function placeAt(tool: HTMLElement, at: Box, side: "above" | "below", text: Element): void {
  const { offsetWidth: width, offsetHeight: height } = tool;
  const viewport = window.visualViewport;
  const bottom = (viewport?.offsetTop ?? 0) + (viewport?.height ?? innerHeight) - height - GAP;
  const main = floatingPlace().getBoundingClientRect();
  const head = document.querySelector(".writing-head")?.getBoundingClientRect().bottom ?? 0;
  const top = Math.max(head, text.getBoundingClientRect().top - GAP);
  const above = at.top - height - GAP;
  const below = at.bottom + GAP;
  const isAbove = side === "above" ? above >= top : below > bottom && above >= top;
  const middle = side === "above" ? (at.left + at.right - width) / 2 : at.left;
  const left = Math.max(main.left + GAP, Math.min(middle, main.right - width - GAP));
  const from = (tool.offsetParent ?? document.body).getBoundingClientRect();
  tool.style.left = `${left - from.left}px`;
  tool.style.top = `${(isAbove ? above : Math.min(below, bottom)) - from.top}px`;
}

/** Toolbars inside `main` belong to a landmark for screen readers. */
export function floatingPlace(): HTMLElement {
  return document.querySelector("main") ?? document.body;
}
