import { html, raw } from "../../../text/html";
import {
  elementsWithClass,
  expandGalleries,
  figureHtml,
  findElements,
  type HtmlDocument,
  type HtmlElement,
  replaceWithHtml,
  serializeHtml,
  trimmedText,
} from "./html-content";
import { linkParagraph, playerHtml } from "./players";

export function replaceGhostCards(document: HtmlDocument, lost: string[]): void {
  expandGalleries(document, (classes) => classes.includes("kg-gallery-card"));
  for (const card of findElements(document, "figure", "div")) {
    const [, kind = ""] = /\bkg-([a-z]+)-card\b(?!-)/.exec(card.attribs.class ?? "") ?? [];
    const html = PLAIN[kind]?.(card);
    if (kind === "signup") lost.push("signup forms");
    if (html !== undefined) replaceWithHtml(card, html);
  }
}

const PLAIN: Record<string, (card: HtmlElement) => string> = {
  bookmark: bookmarkCard,
  file: (card) => linkLine(card, "kg-file-card-title"),
  audio: (card) => {
    const title = textOf(card, "kg-audio-title");
    return `${title && html`<p>${title}</p>`.markup}${playerIn(card, "audio")}`;
  },
  video: (card) => {
    const caption = trimmedText(findElements(card, "figcaption"));
    return figureHtml(raw(playerIn(card, "video")), caption);
  },
  callout: (card) => {
    const emoji = textOf(card, "kg-callout-emoji");
    const [content = ""] = elementsWithClass(card, "kg-callout-text").map(innerHtml);
    return html`<aside class="callout"><p>${emoji && `${emoji} `}${raw(content)}</p></aside>`.markup;
  },
  toggle: (card) => {
    const heading = textOf(card, "kg-toggle-heading-text");
    const content = elementsWithClass(card, "kg-toggle-content").map(innerHtml).join("\n");
    return html`<details><summary>${heading}</summary>${raw(content)}</details>`.markup;
  },
  signup: () => "",
};

/** Drops the picture, because it belongs to another site. */
function bookmarkCard(card: HtmlElement): string {
  const description = textOf(card, "kg-bookmark-description");
  const site = textOf(card, "kg-bookmark-publisher");
  return html`<div class="bookmark">${raw(linkLine(card, "kg-bookmark-title"))}${
    description && html`<p>${description}</p>`
  }${site && html`<p><cite>${site}</cite></p>`}</div>`.markup;
}

function linkLine(card: HtmlElement, titleClass: string): string {
  const address = findElements(card, "a")[0]?.attribs.href ?? "";
  return linkParagraph(address, textOf(card, titleClass));
}

function playerIn(card: HtmlElement, kind: "audio" | "video"): string {
  const address = findElements(card, kind)[0]?.attribs.src;
  return address ? playerHtml(kind, address) : "";
}

function textOf(card: HtmlElement, className: string): string {
  return trimmedText(elementsWithClass(card, className));
}

function innerHtml({ children }: HtmlElement): string {
  return serializeHtml(children).trim();
}
