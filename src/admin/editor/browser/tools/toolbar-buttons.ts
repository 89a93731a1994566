import type { ChainedCommands, Editor } from "@tiptap/core";
import { button, element } from "../html/elements";
import { type DrawingName, drawing } from "../html/icons";

interface TextTool {
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

type Change = (chain: ChainedCommands) => ChainedCommands;

function tool(name: string, icon: DrawingName, change: Change): TextTool {
  return { name, icon, act: (editor) => change(editor.chain().focus()).run() };
}

/** @param type the mark or node that the tool turns on */
function toggle(name: string, icon: DrawingName, change: Change, type: string, attributes = {}): TextTool {
  return { ...tool(name, icon, change), isOn: (editor) => editor.isActive(type, attributes) };
}

function alignment(name: string, side: "left" | "center" | "right"): TextTool {
  const isOn = (editor: Editor) => editor.isActive({ alignment: side });
  const act = (editor: Editor) =>
    editor
      .chain()
      .focus()
      .setCellAttribute("alignment", isOn(editor) ? "" : side)
      .run();
  return { name, icon: side, act, isOn };
}

export class TextTools {
  readonly dom = element("div", { className: "text-tools", role: "toolbar", ariaLabel: "Selected text" });
  readonly #buttons: { tool: TextTool; control: HTMLButtonElement }[] = [];
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
    const link: TextTool = { name: "Link", icon: "link", act: () => this.askForLink(), isOn };
    this.#texts.append(...[...MARKS, link, ...BLOCKS].map((tool) => this.#button(tool)));
    const linkButton = button("Link", () => this.#link());
    this.#linkForm.append(this.#address, linkButton, this.#removeLink);
    this.#address.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#link();
      else if (event.key === "Escape") this.#closeLink();
      else return;
      event.preventDefault();
    });
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
    if (!address) {
      this.#unlink();
      return;
    }
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

  #button(tool: TextTool): HTMLButtonElement {
    const control = button(tool.name, () => tool.act(this.editor), drawing(tool.icon));
    this.#buttons.push({ tool, control });
    return control;
  }
}
