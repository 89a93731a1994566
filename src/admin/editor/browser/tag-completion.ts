import { element } from "./elements-and-icons";

const MAX_SUGGESTIONS = 6;

/** A datalist would complete only the whole field, not each of several tags. */
export function completeTags(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("input[name=tags]");
  const names = [...(field?.list?.options ?? [])].map(({ value }) => value);
  if (!field || names.length === 0) return;
  const look = {
    id: "tag-choices",
    className: "completions",
    role: "listbox",
    ariaLabel: "Tags",
    hidden: true,
  };
  const list = element("ul", look);
  field.removeAttribute("list");
  Object.assign(field, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" });
  field.setAttribute("aria-controls", list.id);
  field.after(list);

  let selected = -1;
  const show = (matches: string[]) => {
    list.replaceChildren(...matches.map((name, index) => optionFor(name, index, pick)));
    list.hidden = matches.length === 0;
    field.ariaExpanded = String(matches.length > 0);
    choose(-1);
  };
  const choose = (index: number) => {
    selected = index;
    for (const [at, option] of [...list.children].entries()) option.ariaSelected = String(at === index);
    const id = list.children[index]?.id;
    if (id) field.setAttribute("aria-activedescendant", id);
    else field.removeAttribute("aria-activedescendant");
  };
  const pick = (name: string) => {
    const { start, end } = tagAtCursor(field);
    const before = field.value.slice(0, start);
    const after = field.value.slice(end).replace(/^,\s*/, "");
    field.value = `${before}${before && !before.endsWith(" ") ? " " : ""}${name}, ${after}`;
    const at = field.value.length - after.length;
    field.setSelectionRange(at, at);
    show([]);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };

  field.addEventListener("input", () => show(matchingTags(names, field)));
  field.addEventListener("blur", () => show([]));
  field.addEventListener("keydown", (event) => {
    const count = list.children.length;
    if (list.hidden || event.isComposing) return;
    const choice = list.children[selected];
    if (event.key === "ArrowDown") choose((selected + 1) % count);
    else if (event.key === "ArrowUp") choose((Math.max(selected, 0) + count - 1) % count);
    else if (event.key === "Enter" && choice) pick(choice.textContent ?? "");
    else if (event.key === "Escape") show([]);
    else return;
    event.preventDefault();
  });
}

function optionFor(name: string, index: number, pick: (name: string) => void): HTMLElement {
  const option = element("li", { id: `tag-choice-${index}`, role: "option" }, name);
  option.addEventListener("mousedown", (event) => event.preventDefault());
  option.addEventListener("click", () => pick(name));
  return option;
}

function tagAtCursor({ value, selectionStart }: HTMLInputElement): { start: number; end: number } {
  const at = selectionStart ?? value.length;
  const start = value.lastIndexOf(",", at - 1) + 1;
  const comma = value.indexOf(",", at);
  return { start, end: comma < 0 ? value.length : comma };
}

function matchingTags(names: string[], field: HTMLInputElement): string[] {
  const { start, end } = tagAtCursor(field);
  const query = field.value.slice(start, end).trim().toLowerCase();
  if (query === "") return [];
  const others = `${field.value.slice(0, start)},${field.value.slice(end)}`.split(",");
  const used = new Set(others.map((one) => one.trim().toLowerCase()));
  const matches = names.filter((name) => name.toLowerCase().includes(query) && !used.has(name.toLowerCase()));
  const isPrefix = (name: string) => name.toLowerCase().startsWith(query);
  if (matches.length === 1 && matches[0]?.toLowerCase() === query) return [];
  return matches
    .toSorted((one, other) => Number(isPrefix(other)) - Number(isPrefix(one)))
    .slice(0, MAX_SUGGESTIONS);
}
