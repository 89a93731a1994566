import { type ChainedCommands, type Editor, findChildren } from "@tiptap/core";
import type { EditorState } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { editorPlugin } from "./editor-plugin";
import { type DrawingName, drawing, element } from "./elements-and-icons";
import { insertFootnote } from "./footnotes";
import { floatingPlace, placeAt, run, type Tool } from "./toolbars";

export const slashMenu = (choices: BlockChoice[]) =>
  editorPlugin("slashMenu", (editor) => {
    const menu = new SlashMenu(editor, choices);
    return {
      view: () => ({ update: (view) => menu.update(view), destroy: () => menu.destroy() }),
      props: { handleKeyDown: (_view, event) => menu.handleKey(event) },
    };
  });

class SlashMenu {
  readonly #list = element("ul", {
    id: "slash-menu",
    className: "slash-menu",
    hidden: true,
    role: "listbox",
    ariaLabel: "Insert",
    // Makes the list focusable, because it scrolls in low windows.
    tabIndex: 0,
  });
  #found: BlockChoice[] = [];
  #chosen = 0;
  /** Position of a dismissed "/", which does not open the menu again. */
  #dismissed = -1;

  constructor(
    readonly editor: Editor,
    readonly choices: BlockChoice[],
  ) {
    floatingPlace().append(this.#list);
  }

  update(view: EditorView): void {
    const command = slashCommandAt(view.state);
    if (!command) this.#dismissed = -1;
    const isOpen = command !== null && command.from !== this.#dismissed && view.hasFocus();
    this.#found = isOpen ? this.choices.filter((choice) => matchesQuery(choice, command.text)) : [];
    this.#chosen = Math.min(this.#chosen, Math.max(this.#found.length - 1, 0));
    this.#draw(view);
    if (isOpen && this.#found.length > 0)
      placeAt(this.#list, view.coordsAtPos(command.from), "below", view.dom);
  }

  handleKey(event: KeyboardEvent): boolean {
    if (this.#found.length === 0) return false;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step) {
      this.#chosen = (this.#chosen + step + this.#found.length) % this.#found.length;
      this.#draw(this.editor.view);
    } else if (event.key === "Enter" || event.key === "Tab")
      this.#put(this.#found[this.#chosen] as BlockChoice);
    else if (event.key === "Escape") {
      this.#dismissed = slashCommandAt(this.editor.state)?.from ?? -1;
      this.update(this.editor.view);
    } else return false;
    return true;
  }

  destroy(): void {
    this.#list.remove();
  }

  #put(choice: BlockChoice): void {
    const command = slashCommandAt(this.editor.state);
    if (command) this.editor.commands.deleteRange({ from: command.from, to: command.to });
    this.#chosen = 0;
    choice.act(this.editor);
  }

  #draw({ dom }: EditorView): void {
    if (this.#list.hidden && this.#found.length === 0) return;
    this.#list.hidden = this.#found.length === 0;
    this.#list.replaceChildren(...this.#found.map((choice, index) => this.#option(choice, index)));
    this.#scrollToChosen();
    if (this.#list.hidden) {
      dom.removeAttribute("aria-activedescendant");
      dom.removeAttribute("aria-controls");
    } else {
      dom.setAttribute("aria-controls", this.#list.id);
      dom.setAttribute("aria-activedescendant", `slash-${this.#chosen}`);
    }
  }

  /** Scrolls only the list, because `scrollIntoView` would also scroll the page. */
  #scrollToChosen(): void {
    const option = this.#list.children[this.#chosen];
    if (!(option instanceof HTMLElement)) return;
    const below = option.offsetTop + option.offsetHeight - this.#list.clientHeight;
    this.#list.scrollTop = Math.max(below, Math.min(this.#list.scrollTop, option.offsetTop));
  }

  #option(choice: BlockChoice, index: number): HTMLLIElement {
    const option = element(
      "li",
      { id: `slash-${index}`, role: "option", ariaSelected: String(index === this.#chosen) },
      drawing(choice.icon),
      element("span", {}, choice.name),
    );
    if (choice.shortcut) option.append(element("kbd", {}, choice.shortcut));
    option.addEventListener("mousedown", (event) => event.preventDefault());
    option.addEventListener("click", () => this.#put(choice));
    return option;
  }
}

function slashCommandAt({ selection }: EditorState): { from: number; to: number; text: string } | null {
  const { $from, empty } = selection;
  if (!empty || !$from.parent.isTextblock || $from.parent.type.spec.code) return null;
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, "\uFFFC");
  const text = /(?:^|\s)\/([\p{L}\p{N} ]{0,20})$/u.exec(before)?.[1];
  if (text === undefined || text.startsWith(" ")) return null;
  return { from: $from.pos - text.length - 1, to: $from.pos, text };
}

function matchesQuery({ name, words }: BlockChoice, command: string): boolean {
  const query = ` ${command.trim().toLowerCase()}`;
  return ` ${name} ${words}`.toLowerCase().includes(query);
}

interface BlockChoice extends Tool {
  words: string;
  /** Characters that insert this block when typed at the start of a line; "" if there are none. */
  shortcut: string;
}

export function blockChoices(pickFiles: () => void): BlockChoice[] {
  const files: Row = ["Picture or video", "picture", "image photo upload file gallery movie", "", pickFiles];
  return [files, ...BLOCKS].map(([name, icon, words, shortcut, act]) => {
    return { name, icon, words, shortcut, act };
  });
}

type Row = [name: string, icon: DrawingName, words: string, shortcut: string, act: Tool["act"]];

const BLOCKS: Row[] = [
  ["Heading", "heading", "h2 title section", "##", run((chain) => chain.toggleHeading({ level: 2 }))],
  ["Subheading", "subheading", "h3 title", "###", run((chain) => chain.toggleHeading({ level: 3 }))],
  ["List", "bullets", "bullets unordered ul", "-", run((chain) => chain.toggleBulletList())],
  ["Numbered list", "numbers", "ordered ol", "1.", run((chain) => chain.toggleOrderedList())],
  ["Tasks", "tasks", "todo checkbox list done", "[ ]", run((chain) => chain.toggleTaskList())],
  ["Quote", "quote", "blockquote citation", ">", run((chain) => chain.toggleBlockquote())],
  ["Code", "block", "pre program source", "```", run((chain) => chain.toggleCodeBlock())],
  ["Table", "table", "grid rows columns", "", run((chain) => chain.insertTable())],
  ["Divider", "line", "divider rule hr separator", "---", run(insertDivider)],
  ["Callout", "callout", "note tip warning aside box", "", run((chain) => chain.toggleWrap("callout"))],
  ["Toggle", "toggle", "details summary fold spoiler", "", insertToggle],
  ["Link card", "card", "bookmark preview url", "", run(insertCard)],
  ["YouTube or Vimeo", "film", "video player embed", "", run(insertCard)],
  ["Footnote", "footnote", "note reference", "", insertFootnote],
];

/** Not `setHorizontalRule`: it selects a following block, which typing would then replace. */
function insertDivider(chain: ChainedCommands): ChainedCommands {
  return chain.insertContent([{ type: "horizontalRule" }, { type: "paragraph" }]);
}

/** The card asks for its link. */
function insertCard(chain: ChainedCommands): ChainedCommands {
  return chain.insertContent({ type: "bookmark" });
}

function insertToggle(editor: Editor): void {
  const content = [{ type: "toggleTitle" }, { type: "paragraph" }];
  const start = editor.state.selection.$from.before(1);
  editor.chain().focus().insertContent({ type: "toggle", content }).run();
  const titles = findChildren(editor.state.doc, ({ type }) => type.name === "toggleTitle");
  const title = titles.find(({ pos }) => pos >= start);
  if (title) editor.commands.focus(title.pos + 1);
}
