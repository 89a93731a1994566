import { type Editor, Extension } from "@tiptap/core";
import { type EditorState, Plugin } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { element } from "../html/elements";
import { drawing } from "../html/icons";
import { floatingPlace, placeAt } from "./floating-position";
import type { BlockChoice } from "./slash-menu-choices";

export const slashMenu = (choices: BlockChoice[]) =>
  Extension.create({
    name: "slashMenu",
    addProseMirrorPlugins() {
      const menu = new SlashMenu(this.editor, choices);
      return [
        new Plugin({
          view: () => ({ update: (view) => menu.update(view), destroy: () => menu.destroy() }),
          props: { handleKeyDown: (_view, event) => menu.handleKey(event) },
        }),
      ];
    },
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
    choice.insert(this.editor);
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
