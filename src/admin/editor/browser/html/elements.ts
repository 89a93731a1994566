import { type DrawingName, drawing } from "./icons";

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  if (className) created.className = className;
  return created;
}

/** The button does not take the focus from the text. */
export function button(
  name: string,
  icon: DrawingName | null,
  act: () => void,
  look: "words" | "icon" = "words",
) {
  const created = element("button", look === "icon" ? "tool" : "tool words");
  created.type = "button";
  if (look === "icon") {
    created.setAttribute("aria-label", name);
    created.title = name;
    if (icon) created.append(drawing(icon));
  } else created.textContent = name;
  created.addEventListener("mousedown", (event) => event.preventDefault());
  created.addEventListener("click", act);
  return created;
}

export function labelled(name: string, control: HTMLInputElement | HTMLTextAreaElement): HTMLLabelElement {
  const label = element("label");
  const text = element("span");
  text.textContent = name;
  label.append(...(control.type === "checkbox" ? [control, text] : [text, control]));
  return label;
}
