import { DomHandler, DomUtils, Parser, parseDocument } from "htmlparser2";
import { cleanText } from "../../../text/clean-text";
import { html, raw } from "../../../text/html";
import { decodedPath } from "../items/imported-item";
import { SourceFault } from "../sources/source";
import { playerInFrame } from "./video-players";

export type Document = ReturnType<typeof parseDocument>;
export type Node = Document["children"][number];
export type Element = Extract<Node, { attribs: Record<string, string> }>;

/** Say nothing that is shown here; the theme they were for has stayed where it was. */
const USELESS_ATTRIBUTE = /^(?:style|on.*|data-.*|srcset|sizes|loading|decoding|fetchpriority|align|border)$/;
const USEFUL_CLASS = /^(?:language-|footnote|task-list|(?:h|p|u|e|dt)-)/;

/** Elements inside each other, as in posts: htmlparser2 moves the open ones for every tag. */
const DEEPEST = 400;
/** In one text: each takes some hundred bytes of memory. */
const MOST_ELEMENTS = 500_000;

/** A post's HTML as a tree, whatever it is like. @throws SourceFault where it is too deep or has too many elements */
export function documentOf(html: string): Document {
  const tree = new BoundedTree();
  new Parser(tree).end(cleanText(html));
  return tree.root;
}

/** What a piece of HTML says, as text: "Tea &amp;<br><em>cake</em>" → "Tea & cake". @throws SourceFault */
export function wordsIn(markup: string): string {
  const document = documentOf(markup);
  for (const line of elements(document, "br")) putInstead(line, " ");
  return DomUtils.textContent(document).trim();
}

class BoundedTree extends DomHandler {
  private elements = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > DEEPEST) throw new SourceFault("is nested too deep to be read.");
    if (++this.elements > MOST_ELEMENTS) throw new SourceFault("has too many elements to be read.");
    super.onopentag(name, attributes);
  }
}

/** The tree as HTML, without comments and what only the former theme understood; frames that no post may hold are links. */
export function tidyHtml(document: Document): string {
  for (const frame of elements(document, "iframe"))
    putInstead(
      frame,
      playerInFrame(frame.attribs.src ?? frame.attribs["data-src"] ?? "", frame.attribs.title ?? ""),
    );
  for (const node of DomUtils.findAll(() => true, document.children)) tidy(node as Element);
  for (const comment of DomUtils.filter((node) => node.type === "comment", document.children, true))
    DomUtils.removeElement(comment);
  return outerHtml(document.children).trim();
}

/** Its pictures with whatever belongs to them alone: a figure with its caption, a link to the whole picture. */
export function picturedHtml(html: string): PicturedContent {
  const document = documentOf(html);
  const shown = elements(document, "img", "video").filter((element) => sourceOf(element) !== "");
  const alone = standingAlone();
  return {
    pictures: shown.map((element) => pictureOf(element, alone)),
    text: () => outerHtml(document.children),
  };
}

export function elements(document: Document | Element, ...names: string[]): Element[] {
  return DomUtils.findAll((element) => names.includes(element.name), document.children) as Element[];
}

export function outerHtml(nodes: Node[]): string {
  return DomUtils.getOuterHTML(nodes, { encodeEntities: "utf8" });
}

/** What is in the elements that only stand around others stands in their places. */
export function unwrap(around: Document | Element, isWrapper: (element: Element) => boolean): void {
  const kept = [...inside(around.children, isWrapper)];
  for (const [at, node] of kept.entries())
    Object.assign(node, { parent: around, prev: kept[at - 1] ?? null, next: kept[at + 1] ?? null });
  around.children = kept;
  for (const node of kept) if ("attribs" in node) unwrap(node, isWrapper);
}

function* inside(nodes: Node[], isWrapper: (element: Element) => boolean): Generator<Node> {
  for (const node of nodes)
    if ("attribs" in node && isWrapper(node)) yield* inside(node.children, isWrapper);
    else yield node;
}

/** In the element's place. */
export function putInstead(element: Element, html: string): void {
  const nodes = [...parseDocument(html).children];
  // Nodes that are linked to others still would pull those along.
  for (const node of nodes) DomUtils.removeElement(node);
  const [first, ...others] = nodes;
  if (!first) {
    DomUtils.removeElement(element);
    return;
  }
  DomUtils.replaceElement(element, first);
  let last = first;
  for (const node of others) {
    DomUtils.append(last, node);
    last = node;
  }
}

function tidy(element: Element): void {
  const classes = (element.attribs.class ?? "").split(/\s+/).filter((name) => USEFUL_CLASS.test(name));
  for (const name of Object.keys(element.attribs))
    if (USELESS_ATTRIBUTE.test(name) || (name === "id" && !element.attribs.id?.startsWith("fn")))
      delete element.attribs[name];
  if (classes.length > 0) element.attribs.class = classes.join(" ");
  else delete element.attribs.class;
}

function pictureOf(element: Element, alone: StandingAlone): ContentPicture {
  const { whole, address, caption } = surroundings(element, alone);
  return {
    address: address ?? sourceOf(element),
    alt: element.attribs.alt ?? null,
    caption: caption.replace(/\s+/g, " ").trim(),
    put: (snippet) => putInstead(whole, snippet),
    leave: (at) => {
      element.attribs.src = at;
    },
  };
}

function sourceOf({ attribs, children }: Element): string {
  const inside = children.find((child) => "name" in child && child.name === "source") as Element | undefined;
  return attribs.src ?? attribs["data-src"] ?? inside?.attribs.src ?? "";
}

/** The outermost element that shows nothing else, the whole picture that a link leads to, and what stands below. */
function surroundings(
  element: Element,
  { thingIn, isFigureOfOne }: StandingAlone,
): { whole: Element; address: string | null; caption: string } {
  let [whole, address, caption]: [Element, string | null, string] = [element, null, ""];
  for (let around = parentOf(whole); around; around = parentOf(whole)) {
    if (around.name === "a" && thingIn(around) === whole) {
      if (!isPictureAddress(around.attribs.href ?? "")) break;
      address = around.attribs.href as string;
    } else if (around.name === "figure" && isFigureOfOne(around)) {
      const below = elements(around, "figcaption");
      const passed = new Set<Node>([whole, ...below]);
      const others = around.children.filter((child) => !passed.has(child));
      if (DomUtils.textContent(others).trim() !== "") break;
      caption = DomUtils.textContent(below);
      whole = around;
      break;
    } else if (!/^(?:picture|span|div)$/.test(around.name) || thingIn(around) !== whole) break;
    whole = around;
  }
  return { whole, address, caption };
}

function parentOf({ parent }: Element): Element | null {
  return parent && "name" in parent ? (parent as Element) : null;
}

/** Is found out once of each element, however many pictures it stands around. */
interface StandingAlone {
  /** All that is shown in it; null: nothing, or more. */
  thingIn(around: Element): Node | null;
  isFigureOfOne(figure: Element): boolean;
}

function standingAlone(): StandingAlone {
  const things = new Map<Element, Node | null>();
  const figures = new Map<Element, boolean>();
  return {
    thingIn: (around) => things.getOrInsertComputed(around, () => onlyThingIn(around)),
    isFigureOfOne: (figure) =>
      figures.getOrInsertComputed(figure, () => elements(figure, "img", "video").length === 1),
  };
}

function onlyThingIn({ children }: Element): Node | null {
  const shown = children.filter(
    (child) =>
      !("name" in child && child.name === "source") && !(child.type === "text" && child.data.trim() === ""),
  );
  return shown.length === 1 ? (shown[0] as Node) : null;
}

/** A picture or film in what a post says. */
export interface ContentPicture {
  /** As it is written there. */
  readonly address: string;
  /** null: nothing is said of it. */
  readonly alt: string | null;
  readonly caption: string;
  /** In its place from now on. */
  put(snippet: string): void;
  /** It stays where it is, at this address. */
  leave(address: string): void;
}

/** What a post says, with what can be put in the place of its pictures. */
export interface PicturedContent {
  readonly pictures: ContentPicture[];
  text(): string;
}

const PICTURE_ENDINGS = /\.(?:jpe?g|png|gif|webp|avif|mp4|m4v|mov|qt|webm)$/i;

/** Is it, by its ending, a file that can be kept here? */
export function isPictureAddress(address: string): boolean {
  return PICTURE_ENDINGS.test(decodedPath(address));
}

/** The address in full; null where it is none, or of a kind that is never asked for (file:, data:). */
export function fullAddress(address: string, base: string): string | null {
  const full = URL.parse(address.trim(), base);
  return full && /^(?:https?|source):$/.test(full.protocol) ? full.href : null;
}

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
