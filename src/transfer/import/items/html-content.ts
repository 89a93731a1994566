import { DomHandler, DomUtils, Parser, type parseDocument } from "htmlparser2";
import { VIDEO_HOSTS } from "../../../posts/post/post";
import { cleanText } from "../../../text/clean-text";
import { type Html, html, raw } from "../../../text/html";
import { decodePath } from "./imported-item";

export type HtmlDocument = ReturnType<typeof parseDocument>;
export type HtmlNode = HtmlDocument["children"][number];
export type HtmlElement = Extract<HtmlNode, { attribs: Record<string, string> }>;

const USELESS_ATTRIBUTE = /^(?:style|on.*|data-.*|srcset|sizes|loading|decoding|fetchpriority|align|border)$/;
const USEFUL_CLASS = /^(?:language-|footnote|task-list|callout$|bookmark$|player$|(?:h|p|u|e|dt)-)/;

/** The time to parse and search HTML grows with the square of its depth. Posts allow fewer levels. */
const MAX_DEPTH = 5000;

class ShallowHandler extends DomHandler {
  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > MAX_DEPTH) throw new RangeError("The HTML is nested too deeply.");
    super.onopentag(name, attributes);
  }
}

/** @throws RangeError if the HTML is nested too deeply */
export function parseHtml(html: string): HtmlDocument {
  const handler = new ShallowHandler();
  new Parser(handler).end(cleanText(html));
  return handler.root;
}

export function htmlToText(markup: string): string {
  const document = parseHtml(markup);
  for (const line of findElements(document, "br")) replaceWithHtml(line, " ");
  return trimmedText(document);
}

export function tidyHtml(document: HtmlDocument): string {
  for (const frame of findElements(document, "iframe")) {
    const { src, "data-src": lazySrc = "", title = "" } = frame.attribs;
    replaceWithHtml(frame, framePlayerOrLink(src ?? lazySrc, title));
  }
  for (const node of DomUtils.findAll(() => true, document.children)) tidyElement(node as HtmlElement);
  for (const comment of DomUtils.filter((node) => node.type === "comment", document.children, true))
    DomUtils.removeElement(comment);
  return serializeHtml(document.children).trim();
}

/** `replace` also replaces the figure, caption and full-size link around an image. */
export function findHtmlMedia(html: string): ContentWithMedia {
  const document = parseHtml(html);
  const shown = findElements(document, "img", "video").filter((element) => sourceOf(element) !== "");
  const filesIn = new Map<HtmlElement, number>();
  for (const element of shown)
    for (let parent = parentOf(element); parent; parent = parentOf(parent))
      if (parent.name === "figure") filesIn.set(parent, (filesIn.get(parent) ?? 0) + 1);
  return {
    pictures: shown.map((element) => pictureOf(element, (figure) => filesIn.get(figure) === 1)),
    text: () => serializeHtml(document.children),
  };
}

export function findElements(document: HtmlDocument | HtmlElement, ...names: string[]): HtmlElement[] {
  return DomUtils.findAll((element) => names.includes(element.name), document.children) as HtmlElement[];
}

export function elementsWithClass(document: HtmlDocument | HtmlElement, name: string): HtmlElement[] {
  const hasClass = (classes = "") => classes.split(/\s+/).includes(name);
  return DomUtils.getElementsByClassName(hasClass, document) as HtmlElement[];
}

export function trimmedText(elements: HtmlNode | HtmlNode[]): string {
  return DomUtils.textContent(elements).trim();
}

export function serializeHtml(nodes: HtmlNode[]): string {
  return DomUtils.getOuterHTML(nodes, { encodeEntities: "utf8" });
}

export function unwrap(document: HtmlDocument, isWrapper: (element: HtmlElement) => boolean): void {
  for (const wrapper of DomUtils.findAll((element) => isWrapper(element as HtmlElement), document.children))
    replaceWith(wrapper as HtmlElement, wrapper.children);
}

export function replaceWithHtml(element: HtmlElement, html: string): void {
  replaceWith(element, parseHtml(html).children);
}

function replaceWith(element: HtmlElement, nodes: HtmlNode[]): void {
  for (const node of [...nodes]) DomUtils.prepend(element, node);
  DomUtils.removeElement(element);
}

function tidyElement(element: HtmlElement): void {
  const classes = (element.attribs.class ?? "").split(/\s+/).filter((name) => USEFUL_CLASS.test(name));
  for (const name of Object.keys(element.attribs))
    if (USELESS_ATTRIBUTE.test(name) || (name === "id" && !element.attribs.id?.startsWith("fn")))
      delete element.attribs[name];
  if (classes.length > 0) element.attribs.class = classes.join(" ");
  else delete element.attribs.class;
}

function pictureOf(element: HtmlElement, hasSingleFile: (figure: HtmlElement) => boolean): ContentMedia {
  const { outermost, address, caption } = surroundings(element, hasSingleFile);
  return {
    address: address ?? sourceOf(element),
    alt: element.attribs.alt ?? null,
    caption: caption.replace(/\s+/g, " ").trim(),
    replace: (snippet) => replaceWithHtml(outermost, snippet),
    setUrl: (at) => {
      element.attribs.src = at;
    },
  };
}

function sourceOf(element: HtmlElement): string {
  const { src, "data-src": lazySrc } = element.attribs;
  return src ?? lazySrc ?? findElements(element, "source")[0]?.attribs.src ?? "";
}

/**
 * `outermost` is the largest element with no other content. `address` is the full-size file behind a link.
 */
function surroundings(element: HtmlElement, hasSingleFile: (figure: HtmlElement) => boolean) {
  let outermost = element;
  let address: string | null = null;
  let caption = "";
  for (let parent = parentOf(outermost); parent; parent = parentOf(outermost)) {
    if (parent.name === "a" && isOnlyChild(outermost)) {
      const { href = "" } = parent.attribs;
      if (!isMediaUrl(href)) break;
      address = href;
    } else if (parent.name === "figure" && hasSingleFile(parent)) {
      const below = findElements(parent, "figcaption");
      const captionAndFile = new Set<HtmlNode>([outermost, ...below]);
      const others = parent.children.filter((child) => !captionAndFile.has(child));
      if (trimmedText(others) !== "") break;
      caption = DomUtils.textContent(below);
      outermost = parent;
      break;
    } else if (!/^(?:picture|span|div)$/.test(parent.name) || !isOnlyChild(outermost)) break;
    outermost = parent;
  }
  return { outermost, address, caption };
}

function parentOf({ parent }: HtmlElement): HtmlElement | null {
  return parent && "name" in parent ? (parent as HtmlElement) : null;
}

function isOnlyChild(element: HtmlElement): boolean {
  const isShown = (node: HtmlNode) =>
    !("name" in node && node.name === "source") && !(node.type === "text" && node.data.trim() === "");
  for (const direction of ["prev", "next"] as const)
    for (let node = element[direction] as HtmlNode | null; node; node = node[direction] as HtmlNode | null)
      if (isShown(node)) return false;
  return true;
}

export interface ContentMedia {
  readonly address: string;
  readonly alt: string | null;
  readonly caption: string;
  replace(snippet: string): void;
  setUrl(address: string): void;
}

export interface ContentWithMedia {
  readonly pictures: ContentMedia[];
  text(): string;
}

const PICTURE_ENDINGS = /\.(?:jpe?g|png|gif|webp|avif|mp4|m4v|mov|qt|webm)$/i;

/** HEIC is missing, because web pages cannot show it. */
export function isMediaUrl(address: string): boolean {
  return PICTURE_ENDINGS.test(decodePath(address));
}

/** null if the URL is invalid or has an unsupported scheme, such as file: or data:. */
export function resolveUrl(address: string, base: string): string | null {
  const full = URL.parse(address.trim(), base || undefined);
  return full && /^(?:https?|source):$/.test(full.protocol) ? full.href : null;
}

export function expandGalleries(document: HtmlDocument, isGallery: (classes: string) => boolean): void {
  for (const gallery of findElements(document, "figure", "div", "ul")) {
    if (!isGallery(gallery.attribs.class ?? "")) continue;
    const figures = findElements(gallery, "img").map(figureOf);
    const below = gallery.children.filter((child) => "name" in child && child.name === "figcaption");
    const words = trimmedText(below);
    replaceWithHtml(gallery, `${figures.join("\n")}${words && html`\n<p>${words}</p>`.markup}`);
  }
}

function figureOf(image: HtmlElement): string {
  let figure = parentOf(image);
  while (figure && figure.name !== "figure") figure = parentOf(figure);
  const isOnlyImage = figure && findElements(figure, "img").length === 1;
  const below = figure && isOnlyImage ? findElements(figure, "figcaption") : [];
  return figureHtml(raw(serializeHtml([image])), trimmedText(below));
}

export function figureHtml(shown: Html, caption: string | Html): string {
  const below = caption && html`<figcaption>${caption}</figcaption>`;
  return html`<figure>${shown}${below}</figure>`.markup;
}

export function playerHtml(kind: "audio" | "video", address: string): string {
  return html`<${kind} src="${address}" controls></${kind}>`.markup;
}

export function linkParagraph(address: string, words: string): string {
  return html`<p><a href="${address}">${words || address}</a></p>`.markup;
}

export function videoPlayerOrLink(address: string, title = ""): string {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return "";
  const player = playerAt(url);
  return player ? frameHtml(player) : linkParagraph(url.href, title);
}

function framePlayerOrLink(address: string, title: string): string {
  const url = URL.parse(address.trim(), "https://nowhere.invalid/");
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "nowhere.invalid") return "";
  url.protocol = "https:";
  const isPlayer = VIDEO_HOSTS.includes(url.hostname) && playerAt(url) === null;
  return isPlayer ? frameHtml(url.href) : videoPlayerOrLink(url.href, title);
}

function frameHtml(address: string): string {
  return html`<iframe src="${address}" allowfullscreen loading="lazy"></iframe>`.markup;
}

function playerAt({ hostname, pathname, searchParams }: URL): string | null {
  const host = hostname.replace(/^(?:www|m)\./, "");
  const last = pathname.split("/").filter(Boolean).at(-1) ?? "";
  const isYouTube = /^(?:youtube\.com|youtube-nocookie\.com)$/.test(host);
  const videoId = isYouTube ? (searchParams.get("v") ?? last) : host === "youtu.be" ? last : "";
  if (/^[\w-]{6,20}$/.test(videoId) && !/^(?:watch|playlist)$/.test(videoId))
    return `https://www.youtube-nocookie.com/embed/${videoId}`;
  if (/^(?:player\.)?vimeo\.com$/.test(host) && /^\d{3,15}$/.test(last))
    return `https://player.vimeo.com/video/${last}`;
  return null;
}
