import { DomUtils } from "htmlparser2";
import { html, raw } from "../../../text/html";
import {
  expandGalleries,
  findElements,
  type HtmlDocument,
  type HtmlElement,
  replaceWithHtml,
  serializeHtml,
} from "./html-content";

/**
 * Replaces Ghost's cards with plain HTML that needs no scripts.
 * @param lost receives the names of unsupported features
 */
export function replaceGhostCards(document: HtmlDocument, lost: (what: string) => void): void {
  expandGalleries(document, (classes) => classes.includes("kg-gallery-card"));
  for (const card of findElements(document, "figure", "div")) {
    const [, kind = ""] = /\bkg-([a-z]+)-card\b(?!-)/.exec(card.attribs.class ?? "") ?? [];
    const made = PLAIN[kind]?.(card);
    if (kind === "signup") lost("signup forms");
    if (made !== undefined) replaceWithHtml(card, made);
  }
}

const PLAIN: Record<string, (card: HtmlElement) => string> = {
  bookmark: bookmarkCard,
  file: (card) => linkLine(card, "kg-file-card-title"),
  audio: (card) => {
    const title = wordsOf(classed(card, "kg-audio-title"));
    return `${title && html`<p>${title}</p>`.markup}${played(card, "audio")}`;
  },
  video: (card) => {
    const caption = wordsOf(findElements(card, "figcaption"));
    return html`<figure>${raw(played(card, "video"))}${caption && html`<figcaption>${caption}</figcaption>`}</figure>`
      .markup;
  },
  callout: (card) => {
    const [text] = classed(card, "kg-callout-text");
    const emoji = wordsOf(classed(card, "kg-callout-emoji"));
    const said = text ? inner(text) : "";
    return html`<aside class="callout"><p>${emoji && `${emoji} `}${raw(said)}</p></aside>`.markup;
  },
  toggle: (card) => {
    const heading = wordsOf(classed(card, "kg-toggle-heading-text"));
    const said = classed(card, "kg-toggle-content").map(inner).join("\n");
    return html`<details><summary>${heading}</summary>${raw(said)}</details>`.markup;
  },
  product: (card) => {
    const [image] = findElements(card, "img");
    const [said] = classed(card, "kg-product-card-description");
    const [button] = classed(card, "kg-product-card-button");
    const parts = [
      image ? `<figure>${serializeHtml([image])}</figure>` : "",
      html`<h4>${wordsOf(classed(card, "kg-product-card-title"))}</h4>`.markup,
      stars(card),
      said ? asParagraphs(said) : "",
      button ? html`<p><a href="${button.attribs.href ?? ""}">${wordsOf([button])}</a></p>`.markup : "",
    ];
    return parts.filter(Boolean).join("\n");
  },
  signup: () => "",
};

/** The rating of a product card: "★★★★☆". */
function stars(card: HtmlElement): string {
  const all = classed(card, "kg-product-card-rating-star").length;
  const given = classed(card, "kg-product-card-rating-active").length;
  return all === 0
    ? ""
    : html`<p>${"★".repeat(Math.min(given, 5))}${"☆".repeat(Math.max(0, 5 - given))}</p>`.markup;
}

function asParagraphs(said: HtmlElement): string {
  const written = inner(said);
  return /^<(?:p|ul|ol|h\d|blockquote)\b/.test(written) ? written : `<p>${written}</p>`;
}

/** Drops the picture, because it belongs to another site. */
function bookmarkCard(card: HtmlElement): string {
  const description = wordsOf(classed(card, "kg-bookmark-description"));
  const site = wordsOf(classed(card, "kg-bookmark-publisher"));
  return html`<div class="bookmark">${raw(linkLine(card, "kg-bookmark-title"))}${
    description && html`<p>${description}</p>`
  }${site && html`<p><cite>${site}</cite></p>`}</div>`.markup;
}

function linkLine(card: HtmlElement, titleClass: string): string {
  const [link] = findElements(card, "a");
  const address = link?.attribs.href ?? "";
  return html`<p><a href="${address}">${wordsOf(classed(card, titleClass)) || address}</a></p>`.markup;
}

function played(card: HtmlElement, name: "audio" | "video"): string {
  const [player] = findElements(card, name);
  const address = player?.attribs.src ?? "";
  if (address === "") return "";
  return (
    name === "audio"
      ? html`<audio src="${address}" controls></audio>`
      : html`<video src="${address}" controls></video>`
  ).markup;
}

function classed(card: HtmlElement, name: string): HtmlElement[] {
  const isOne = (classes = "") => classes.split(/\s+/).includes(name);
  return DomUtils.getElementsByClassName(isOne, card) as HtmlElement[];
}

function wordsOf(found: HtmlElement[]): string {
  return DomUtils.textContent(found).trim();
}

function inner({ children }: HtmlElement): string {
  return serializeHtml(children).trim();
}
