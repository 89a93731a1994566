import type { Editor } from "@tiptap/core";
import { button, element } from "../html/elements";
import type { DrawingName } from "../html/icons";

interface TextTool {
  name: string;
  icon: DrawingName;
  act(editor: Editor): void;
  isOn?(editor: Editor): boolean;
}

const MARKS: TextTool[] = [
  mark("Bold", "bold", "bold"),
  mark("Italic", "italic", "italic"),
  mark("Strikethrough", "strike", "strike"),
  mark("Code", "code", "code"),
];
const BLOCKS: TextTool[] = [
  heading("Heading", "heading", 2),
  heading("Subheading", "subheading", 3),
  {
    name: "Quote",
    icon: "quote",
    act: (editor) => editor.chain().focus().toggleBlockquote().run(),
    isOn: (editor) => editor.isActive("blockquote"),
  },
];
const CELLS: TextTool[] = [
  { name: "Row below", icon: "rowBelow", act: (editor) => editor.chain().focus().addRowAfter().run() },
  {
    name: "Column to the right",
    icon: "columnRight",
    act: (editor) => editor.chain().focus().addColumnAfter().run(),
  },
  { name: "Delete row", icon: "rowGone", act: (editor) => editor.chain().focus().deleteRow().run() },
  { name: "Delete column", icon: "columnGone", act: (editor) => editor.chain().focus().deleteColumn().run() },
  ...(["left", "center", "right"] as const).map(alignment),
  { name: "Delete table", icon: "remove", act: (editor) => editor.chain().focus().deleteTable().run() },
];

function mark(name: string, icon: DrawingName, type: string): TextTool {
  return {
    name,
    icon,
    act: (editor) => editor.chain().focus().toggleMark(type).run(),
    isOn: (editor) => editor.isActive(type),
  };
}

function heading(name: string, icon: DrawingName, level: 2 | 3): TextTool {
  return {
    name,
    icon,
    act: (editor) => editor.chain().focus().toggleHeading({ level }).run(),
    isOn: (editor) => editor.isActive("heading", { level }),
  };
}

function alignment(side: "left" | "center" | "right"): TextTool {
  const names = { left: "Align left", center: "Align center", right: "Align right" };
  return {
    name: names[side],
    icon: side,
    act: (editor) =>
      editor
        .chain()
        .focus()
        .setCellAttribute("alignment", isAligned(editor, side) ? "" : side)
        .run(),
    isOn: (editor) => isAligned(editor, side),
  };
}

function isAligned(editor: Editor, side: string): boolean {
  return (
    editor.isActive("tableCell", { alignment: side }) || editor.isActive("tableHeader", { alignment: side })
  );
}

export class TextTools {
  readonly dom = element("div", "text-tools");
  readonly #buttons: { tool: TextTool; control: HTMLButtonElement }[] = [];
  readonly #cells = element("div", "tools");
  readonly #texts = element("div", "tools");
  readonly #linkForm = element("form", "link-form");
  readonly #address = element("input");
  readonly #removeLink = button("Remove link", null, () => this.#unlink());

  constructor(
    readonly editor: Editor,
    readonly onClose: () => void,
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
      this.#removeLink,
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
    const control = button(tool.name, tool.icon, () => tool.act(this.editor), "icon");
    this.#buttons.push({ tool, control });
    return control;
  }
}
