import { DomUtils } from "htmlparser2";
import { html, raw } from "../../../text/html";
import { type Document, type Element, elements, outerHtml, putInstead } from "./html-pictures";

/** Pictures side by side as figures one after the other, which is what a gallery is here. @param isGallery by its classes */
export function unfoldGalleries(document: Document, isGallery: (classes: string) => boolean): void {
  for (const gallery of elements(document, "figure", "div", "ul").filter(({ attribs }) =>
    isGallery(attribs.class ?? ""),
  )) {
    const figures = elements(gallery, "img").map(figureOf);
    const below = gallery.children.filter((child) => "name" in child && child.name === "figcaption");
    const words = DomUtils.textContent(below).trim();
    putInstead(gallery, `${figures.join("\n")}${words && html`\n<p>${words}</p>`.markup}`);
  }
}

function figureOf(image: Element): string {
  const around = closest(image, "figure");
  const below = around && elements(around, "img").length === 1 ? elements(around, "figcaption") : [];
  const words = DomUtils.textContent(below).trim();
  return html`<figure>${raw(outerHtml([image]))}${words && html`<figcaption>${words}</figcaption>`}</figure>`
    .markup;
}

function closest(element: Element, name: string): Element | null {
  for (let around = element.parent; around; around = around.parent)
    if ("name" in around && around.name === name) return around as Element;
  return null;
}
