import { element } from "./elements-and-icons";

/** Choices for the text in a field. The field keeps the focus and passes its keys to the listbox. */
export class Listbox<Choice> {
  choices: Choice[] = [];
  #selected = -1;

  /** @param first index of the choice that is selected at first; -1 for none */
  constructor(
    readonly dom: HTMLUListElement,
    readonly first: 0 | -1,
    readonly contentOf: (choice: Choice) => (Node | string)[],
    readonly pick: (choice: Choice) => void,
  ) {}

  show(field: HTMLElement, choices: Choice[]): void {
    const before = this.choices;
    const isSame = choices.length === before.length && choices.every((one, at) => one === before[at]);
    if (isSame) return;
    this.choices = choices;
    this.dom.hidden = choices.length === 0;
    this.dom.replaceChildren(...choices.map((choice, index) => this.#option(choice, index)));
    if (this.dom.hidden) field.removeAttribute("aria-controls");
    else field.setAttribute("aria-controls", this.dom.id);
    this.#select(field, this.first);
  }

  /** @returns true if the key is for the listbox */
  handleKey(field: HTMLElement, key: string): boolean {
    const { length } = this.choices;
    const choice = this.choices[this.#selected];
    if (length > 0 && key === "ArrowDown") this.#select(field, (this.#selected + 1) % length);
    else if (length > 0 && key === "ArrowUp")
      this.#select(field, (Math.max(this.#selected, 0) + length - 1) % length);
    else if (key === "Enter" && choice) this.pick(choice);
    else return false;
    return true;
  }

  #select(field: HTMLElement, index: number): void {
    this.#selected = index;
    const options = [...this.dom.children] as HTMLElement[];
    for (const [at, option] of options.entries()) option.ariaSelected = String(at === index);
    const option = options[index];
    if (!option) return void field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", option.id);
    // Scrolls only the list, because `scrollIntoView` would also scroll the page.
    const below = option.offsetTop + option.offsetHeight - this.dom.clientHeight;
    this.dom.scrollTop = Math.max(below, Math.min(this.dom.scrollTop, option.offsetTop));
  }

  #option(choice: Choice, index: number): HTMLElement {
    const option = element(
      "li",
      { id: `${this.dom.id}-${index}`, role: "option" },
      ...this.contentOf(choice),
    );
    option.addEventListener("mousedown", (event) => event.preventDefault());
    option.addEventListener("click", () => this.pick(choice));
    return option;
  }
}
