import { htmlOf, nodesOf } from "../html/inert-html";
import { convertWordLists } from "./ms-word-lists";

export type PictureAttributes = (src: string) => Record<string, string> | null;

const STYLED: [style: RegExp, tag: string][] = [
  // Does not match Word's `mso-bidi-font-weight`, which applies to right-to-left text.
  [/(?<![\w-])font-weight:\s*(bold|[6-9]00)/, "strong"],
  [/(?<![\w-])font-style:\s*italic/, "em"],
  [/(?<![\w-])text-decoration(-line)?:[^;]*line-through/, "s"],
];
const RENAMED: Record<string, string> = { b: "strong", i: "em", strike: "s" };
const REMOVED =
  "script, style, meta, link, title, template, svg, select, button, form, input:not([type=checkbox])";

export function cleanPastedHtml(html: string, picture: PictureAttributes): string {
  const holder = document.createElement("template").content.ownerDocument.createElement("div");
  holder.append(...nodesOf(html));
  // Apple Notes wraps tables in `object` elements.
  for (const object of holder.querySelectorAll("object")) object.replaceWith(...object.childNodes);
  for (const removed of holder.querySelectorAll(REMOVED)) removed.remove();
  convertWordLists(holder);
  convertTasks(holder);
  for (const image of holder.querySelectorAll("img")) replacePicture(image, picture);
  for (const element of [...holder.querySelectorAll("*")]) {
    const style = element.getAttribute("kept-style") ?? "";
    for (const { name } of [...element.attributes])
      if (/^(kept-|on|class$|id$)/.test(name) && !isNeededClass(element, name)) element.removeAttribute(name);
    if (element.classList.contains("kept")) continue;
    // Google Docs wraps the whole text in a `b` element that is not bold.
    const isNoBold = element.localName === "b" && /(?<![\w-])font-weight:\s*(normal|400)/.test(style);
    if (isNoBold || element.localName.includes(":")) replaceTag(element, []);
    else if (RENAMED[element.localName]) replaceTag(element, [RENAMED[element.localName] as string]);
    else if (element.localName === "span") {
      const tags = STYLED.filter(([pattern]) => pattern.test(style)).map(([, tag]) => tag);
      replaceTag(element, tags);
    }
  }
  return [...holder.childNodes].map(htmlOf).join("");
}

/** Google Docs writes checkboxes as pictures, with their state in `aria-checked`. */
function convertTasks(holder: Element): void {
  for (const item of holder.querySelectorAll<HTMLElement>("li:not([data-type])")) {
    const box = item.querySelector(":scope > input, :scope > [aria-roledescription=checkbox]");
    if (!box || !item.parentElement || item.closest(".kept")) continue;
    const isDone = box.hasAttribute("checked") || item.ariaChecked === "true";
    box.remove();
    Object.assign(item.dataset, { type: "taskItem", checked: String(isDone) });
    item.parentElement.dataset.type = "taskList";
  }
}

function replacePicture(image: HTMLImageElement, picture: PictureAttributes): void {
  const src = image.getAttribute("src");
  const attributes = src && !image.closest(".kept") ? picture(src) : null;
  if (!attributes) return;
  const attachment = image.ownerDocument.createElement("action-text-attachment");
  const alt = image.getAttribute("alt")?.trim();
  for (const [name, value] of Object.entries({ ...attributes, ...(alt && { "data-alt": alt }) }))
    attachment.setAttribute(name, value);
  image.replaceWith(attachment);
}

function isNeededClass(element: Element, name: string): boolean {
  return (
    name === "class" &&
    /^language-|footnote|^(kept|callout|toggle|toggle-title|bookmark)$/.test(element.className)
  );
}

/** @param tags from the outermost to the innermost; without tags, only the content stays */
function replaceTag(element: Element, tags: string[]): void {
  let content: ChildNode[] = [...element.childNodes];
  for (const tag of tags.toReversed()) {
    const wrapper = element.ownerDocument.createElement(tag);
    wrapper.append(...content);
    content = [wrapper];
  }
  element.replaceWith(...content);
}
