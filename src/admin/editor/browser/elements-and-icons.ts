/** @param look class names, or properties such as `hidden` and `ariaLabel` */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  look: string | Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const properties = typeof look === "string" ? { className: look } : look;
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

/** Shows its icon or, without an icon, its name. The button does not take the focus from the text. */
export function button(name: string, act: () => void, icon?: SVGElement): HTMLButtonElement {
  const look = icon ? { className: "tool", title: name, ariaLabel: name } : { className: "tool words" };
  const keepFocus = (event: Event) => event.preventDefault();
  return element("button", { type: "button", ...look, onclick: act, onmousedown: keepFocus }, icon ?? name);
}

export function quietButton(name: string, act: () => void): HTMLButtonElement {
  return element("button", { type: "button", className: "quiet", onclick: act }, name);
}

export function labelled(name: string, control: HTMLInputElement | HTMLTextAreaElement): HTMLLabelElement {
  const text = element("span", {}, name);
  return element("label", {}, ...(control.type === "checkbox" ? [control, text] : [text, control]));
}

/** Runs an action when its key is pressed in the field. Keys of an input method are ignored. */
export function onKeys(field: HTMLElement, actions: Record<string, (event: KeyboardEvent) => unknown>): void {
  field.addEventListener("keydown", (event) => {
    const act = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!act || event.isComposing || act(event) === false) return;
    event.preventDefault();
  });
}

/** True for events that ProseMirror must leave to a button or field in a node's view. */
export function isForControl({ target, type }: Event): boolean {
  const isInControl =
    target instanceof HTMLElement && target.closest("input, textarea, button, label") !== null;
  return isInControl && !/^drag|drop/.test(type);
}

/** Titles have one line, so Enter leads to the text. */
export function onTitleEnter(form: HTMLFormElement, focusText: () => void): void {
  const title = form.querySelector<HTMLTextAreaElement>('[name="title"]');
  if (title) onKeys(title, { Enter: focusText });
}

const DRAWINGS = {
  bold: "M6 4h5a3 3 0 0 1 0 6H6zM6 10h6a3 3 0 0 1 0 6H6z",
  italic: "M8 4h6M6 16h6M11.5 4l-3 12",
  strike: "M4 10h12M13.5 6.5C13 5 11.6 4.2 10 4.2c-2 0-3.6 1-3.6 2.7M6 13.3c.5 1.6 2 2.5 4 2.5s3.8-1 3.8-2.9",
  code: "M7.5 6 3.5 10l4 4M12.5 6l4 4-4 4",
  link: "M8.5 11.5a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.2l-1 1M11.5 8.5a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.2l1-1",
  heading: "M5 4v12M15 4v12M5 10h10",
  subheading: "M4 5v10M10 5v10M4 10h6M13 11.5a2 2 0 1 1 3.5 1.3L13 16h4",
  bullets: "M8 5.5h9M8 10h9M8 14.5h9M3.8 5.5h.01M3.8 10h.01M3.8 14.5h.01",
  numbers: "M8.5 5.5H17M8.5 10H17M8.5 14.5H17M3 4.5l1-.5v4M3 12.5h2l-2 3h2",
  tasks: "M3.5 4.5h4v4h-4zM4 14l1.3 1.3L8 12.5M10.5 6.5H17M10.5 14H17",
  quote: "M8 6c-2.5.6-4 2.4-4 5v3h4v-4H6M16 6c-2.5.6-4 2.4-4 5v3h4v-4h-2",
  block: "M3.5 4.5h13v11h-13zM7 8l2 2-2 2M11 12h2.5",
  table: "M3.5 4.5h13v11h-13zM3.5 8.5h13M8.5 4.5v11",
  line: "M3 10h14",
  footnote: "M4 15.5 8 5l4 10.5M5.5 11.8h5M14.5 4.5 16 4v5",
  callout: "M3.5 4.5h13v11h-13zM7 8h6M7 12h4",
  toggle: "m4 5 4 3.500-4 3.500zM11 8.500h6M4 15.500h13",
  card: "M3 5h14v10H3zM11.500 5v10M5.500 8.500h3.500M5.500 11.500h2",
  film: "M3 4.500h14v11H3zM8.500 7.500v5l4-2.500z",
  picture: "M3 4.5h14v11H3zM3.5 14l4-4 3 3 2.5-2.5 3.5 3.5M13 7.6h.01",
  up: "M10 16V4.5M5.5 9 10 4.5 14.5 9",
  down: "M10 4v11.5M5.5 11l4.500 4.500 4.500-4.500",
  width: "M2.500 4v12M17.500 4v12M5 10h10M7.500 7.500 5 10l2.500 2.500M12.500 7.500 15 10l-2.500 2.500",
  crop: "M6 2.500V14h11.500M2.500 6H14v11.500",
  replace:
    "M4 10a6 6 0 0 1 10.5-4L16 7.500M16 4v3.500h-3.500M16 10a6 6 0 0 1-10.500 4L4 12.500M4 16v-3.500h3.500",
  remove: "M4 5.5h12M8 5.5V3.8h4v1.7M5.5 5.5l.7 11h7.6l.7-11",
  plus: "M10 4v12M4 10h12",
  undo: "M7.5 5 4 8.500 7.500 12M4 8.500h7.500a4 4 0 0 1 0 8H9",
  close: "m5.5 5.5 9 9M14.5 5.500l-9 9",
  left: "M3 5h14M3 10h8M3 15h11",
  center: "M3 5h14M6 10h8M4.500 15h11",
  right: "M3 5h14M9 10h8M6 15h11",
  rowBelow: "M3.500 4.500h13v6h-13zM10 13v5M7.500 15.500h5",
  columnRight: "M3.500 4.500h7v11h-7zM13 10h5M15.500 7.500v5",
  rowGone: "M3.500 4.500h13v6h-13zM7.500 15.500h5",
  columnGone: "M3.500 4.500h7v11h-7zM13 10h5",
} as const;

export type DrawingName = keyof typeof DRAWINGS;

export function drawing(name: DrawingName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", DRAWINGS[name]);
  svg.append(path);
  return svg;
}
