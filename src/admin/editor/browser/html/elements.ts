import { type DrawingName, drawing } from "./icons";

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className) made.className = className;
  return made;
}

/** Creates a button that leaves the focus in the text when clicked. */
export function button(
  name: string,
  icon: DrawingName | null,
  act: () => void,
  look: "words" | "icon" = "words",
) {
  const made = element("button", look === "icon" ? "tool" : "tool words");
  made.type = "button";
  if (look === "icon") {
    made.setAttribute("aria-label", name);
    made.title = name;
    if (icon) made.append(drawing(icon));
  } else made.textContent = name;
  made.addEventListener("mousedown", (event) => event.preventDefault());
  made.addEventListener("click", act);
  return made;
}

export function labelled(name: string, control: HTMLInputElement | HTMLTextAreaElement): HTMLLabelElement {
  const label = element("label");
  const text = element("span");
  text.textContent = name;
  label.append(...(control.type === "checkbox" ? [control, text] : [text, control]));
  return label;
}
