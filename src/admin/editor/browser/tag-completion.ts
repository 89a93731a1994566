import { element } from "./elements-and-icons";
import { Listbox } from "./listbox";

const MAX_SUGGESTIONS = 6;

/** A datalist would complete only the whole field, not each of several tags. */
export function completeTags(field: HTMLInputElement): void {
  const names = [...(field.list?.options ?? [])].map(({ value }) => value);
  if (names.length === 0) return;
  const look = {
    id: "tag-choices",
    className: "completions",
    role: "listbox",
    ariaLabel: "Tags",
    hidden: true,
  };
  const list = new Listbox<string>(element("ul", look), -1, (name) => [name], pick);
  field.removeAttribute("list");
  Object.assign(field, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" });
  field.after(list.dom);

  const show = (matches: string[]) => {
    list.show(field, matches);
    field.ariaExpanded = String(matches.length > 0);
  };
  function pick(name: string): void {
    const { start, end } = tagAtCursor(field);
    const before = field.value.slice(0, start);
    const after = field.value.slice(end).replace(/^,\s*/, "");
    field.value = `${before}${before && !before.endsWith(" ") ? " " : ""}${name}, ${after}`;
    const at = field.value.length - after.length;
    field.setSelectionRange(at, at);
    show([]);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  field.addEventListener("input", () => show(matchingTags(names, field)));
  field.addEventListener("blur", () => show([]));
  field.addEventListener("keydown", (event) => {
    if (list.dom.hidden || event.isComposing) return;
    if (event.key === "Escape") show([]);
    else if (!list.handleKey(field, event.key)) return;
    event.preventDefault();
  });
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
