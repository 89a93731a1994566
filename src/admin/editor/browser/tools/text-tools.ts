import type { ChainedCommands, Editor } from "@tiptap/core";
import { button, element } from "../html/elements";
import type { IconName } from "../html/icons";

interface TextTool {
  name: string;
  icon: IconName;
  act(editor: Editor): void;
  isOn?(editor: Editor): boolean;
}

const MARKS: TextTool[] = [
  textTool("Bold", "bold", (chain) => chain.toggleBold(), "bold"),
  textTool("Italic", "italic", (chain) => chain.toggleItalic(), "italic"),
  textTool("Strikethrough", "strike", (chain) => chain.toggleStrike(), "strike"),
  textTool("Code", "code", (chain) => chain.toggleCode(), "code"),
];
const BLOCKS: TextTool[] = [
  textTool("Heading", "heading", (chain) => chain.toggleHeading({ level: 2 }), "heading", { level: 2 }),
  textTool("Subheading", "subheading", (chain) => chain.toggleHeading({ level: 3 }), "heading", { level: 3 }),
  textTool("Quote", "quote", (chain) => chain.toggleBlockquote(), "blockquote"),
];
const CELLS: TextTool[] = [
  textTool("Row below", "rowBelow", (chain) => chain.addRowAfter()),
  textTool("Column to the right", "columnRight", (chain) => chain.addColumnAfter()),
  textTool("Delete row", "rowGone", (chain) => chain.deleteRow()),
  textTool("Delete column", "columnGone", (chain) => chain.deleteColumn()),
  ...(["left", "center", "right"] as const).map(alignmentTool),
  textTool("Delete table", "remove", (chain) => chain.deleteTable()),
];

/** @param active name and attributes of the mark or node that the tool toggles */
function textTool(
  name: string,
  icon: IconName,
  run: (chain: ChainedCommands) => ChainedCommands,
  ...active: [] | [type: string, attributes?: Record<string, unknown>]
): TextTool {
  const act = (editor: Editor) => run(editor.chain().focus()).run();
  const [type, attributes] = active;
  return { name, icon, act, ...(type && { isOn: (editor: Editor) => editor.isActive(type, attributes) }) };
}

function alignmentTool(side: "left" | "center" | "right"): TextTool {
  return {
    name: `Align ${side}`,
    icon: side,
    act: (editor) => {
      const alignment = isAligned(editor, side) ? "" : side;
      editor.chain().focus().setCellAttribute("alignment", alignment).run();
    },
    isOn: (editor) => isAligned(editor, side),
  };
}

function isAligned(editor: Editor, side: string): boolean {
  return (
    editor.isActive("tableCell", { alignment: side }) || editor.isActive("tableHeader", { alignment: side })
  );
}

/** Formatting buttons and the link field. */
export class TextTools {
  readonly dom = element("div", "text-tools");
  readonly #buttons: { tool: TextTool; made: HTMLButtonElement }[] = [];
  readonly #cells = element("div", "tools");
  readonly #texts = element("div", "tools");
  readonly #linkForm = element("form", "link-form");
  readonly #address = element("input");

  constructor(
    readonly editor: Editor,
    readonly closed: () => void,
  ) {
    this.dom.setAttribute("role", "toolbar");
    this.dom.setAttribute("aria-label", "Selected text");
    this.#texts.append(...MARKS.map((tool) => this.#button(tool)));
    this.#texts.append(
      this.#button({
        name: "Link",
        icon: "link",
        act: () => this.askForLink(),
        isOn: () => editor.isActive("link"),
      }),
    );
    this.#texts.append(...BLOCKS.map((tool) => this.#button(tool)));
    this.#cells.append(...CELLS.map((tool) => this.#button(tool)));
    this.#address.type = "text";
    this.#address.inputMode = "url";
    this.#address.placeholder = "https://";
    this.#address.setAttribute("aria-label", "Link address");
    this.#linkForm.append(
      this.#address,
      button("Link", null, () => this.#link()),
      button("Remove link", null, () => this.#unlink()),
    );
    this.#address.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#link();
      else if (event.key === "Escape") this.#closeLink();
      else return;
      event.preventDefault();
    });
    this.#linkForm.hidden = true;
    this.dom.append(this.#texts, this.#cells, this.#linkForm);
  }

  get isAsking(): boolean {
    return !this.#linkForm.hidden;
  }

  update(): void {
    this.#cells.hidden = this.isAsking || !this.editor.isActive("table");
    this.#texts.hidden = this.isAsking;
    for (const { tool, made } of this.#buttons)
      if (tool.isOn) made.setAttribute("aria-pressed", String(tool.isOn(this.editor)));
  }

  askForLink(): void {
    this.#address.value = this.editor.getAttributes("link").href ?? "";
    this.#linkForm.hidden = false;
    this.update();
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
    this.update();
    this.editor.commands.focus();
    this.closed();
  }

  #button(tool: TextTool): HTMLButtonElement {
    const made = button(tool.name, tool.icon, () => tool.act(this.editor), "icon");
    this.#buttons.push({ tool, made });
    return made;
  }
}
