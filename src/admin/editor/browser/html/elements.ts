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

export function labelled(name: string, control: HTMLInputElement | HTMLTextAreaElement): HTMLLabelElement {
  const text = element("span", {}, name);
  return element("label", {}, ...(control.type === "checkbox" ? [control, text] : [text, control]));
}
