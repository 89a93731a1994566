import { type Handler, Parser } from "htmlparser2";
import { MEGABYTE } from "../../../config/units";
import { wideEncodingOf } from "./source";

/** An element with all that is in it. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: XmlElement[];
  /** What addresses in it are relative to, by `xml:base` on it and around it; "" where none says. */
  base: string;
  /** Why it is not whole, a sentence: of what is in it its title is held at the most. */
  tooMuch?: string;
}

/** Of one element that is held: no post is a tenth as long. In characters. */
const LARGEST_ELEMENT = 64 * MEGABYTE;
/** Of one that is passed over, as they are counted below. */
const LARGEST_PASSED_OVER = 4 * LARGEST_ELEMENT;
/** What each element in it counts for besides its text, in characters: an empty one takes as much memory. */
const ELEMENT_ITSELF = 100;
/** Elements inside each other, of those that are held and of all: htmlparser2 moves the open ones for every tag. */
const DEEPEST = 100;
const DEEPEST_OF_ALL = 1000;

/** The file cannot be read any further; the message says where and why. */
export class XmlFault extends Error {}

/** The file is not whole. */
export class EndsEarly extends XmlFault {}

/**
 * The elements of these names, each as soon as it has ended, whatever they are in; of the rest nothing is held. Entities
 * of a document's own are not put in, and nothing is ever fetched for it. One that is longer than any post is passed over.
 * @throws XmlFault where it ends early or is beyond all measure, after all that came before
 */
export async function* xmlElements(
  bytes: AsyncIterable<Uint8Array>,
  names: readonly string[],
): AsyncGenerator<XmlElement> {
  const elements = new HeldElements(names);
  const parser = new Parser(elements, { xmlMode: true, decodeEntities: true });
  for await (const text of decoded(bytes)) {
    elements.hearOf(text.length);
    let fault: unknown = null;
    try {
      parser.write(text);
    } catch (caught) {
      fault = caught;
    }
    yield* elements.ready.splice(0);
    if (fault) throw fault;
  }
  const missing = elements.end();
  parser.end();
  yield* elements.ready.splice(0);
  const cutOff = elements.cutOff || missing;
  if (cutOff) throw new EndsEarly(`The file ends early, inside of <${cutOff}>: what came after is missing.`);
}

/** Puts together what a parser comes upon, and holds no more of it than there is room for. */
class HeldElements implements Partial<Handler> {
  /** Those that have ended. */
  readonly ready: XmlElement[] = [];
  /** The element of these names that the file ends inside of; "" where there is none. */
  cutOff = "";
  private readonly path: string[] = [];
  /** What each element of the path says that addresses are relative to. */
  private readonly bases: string[] = [];
  private readonly open: XmlElement[] = [];
  /** Element → how many were around it. */
  private readonly openedAt = new WeakMap<XmlElement, number>();
  private held = 0;
  private unheard = 0;
  private passedOver: XmlElement | null = null;
  private hasEnded = false;

  constructor(private readonly names: readonly string[]) {}

  /** @param characters that the parser is about to be given @throws XmlFault */
  hearOf(characters: number): void {
    this.unheard += characters;
    if (this.unheard > LARGEST_ELEMENT) throw new XmlFault("Something in it does not end.");
  }

  /** The parser will be given no more. @returns what is open still, if anything is */
  end(): string | undefined {
    this.hasEnded = true;
    return this.path.at(-1);
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    const { path, bases, open } = this;
    this.unheard = 0;
    path.push(name);
    bases.push(baseIn(attributes["xml:base"], bases.at(-1) ?? ""));
    if (path.length > DEEPEST_OF_ALL) throw new XmlFault(`<${path[0]}> is nested too deep.`);
    if (open.length === 0 && !this.names.includes(name)) return;
    if (!this.hold(ELEMENT_ITSELF)) return;
    const markup = open.find(({ attributes }) => attributes.type === "xhtml");
    if (markup) {
      markup.text += openingTag(name, attributes);
      return;
    }
    if (open.length >= DEEPEST) throw new XmlFault(`<${open[0]?.name}> is nested too deep.`);
    const element = { name, attributes, text: "", children: [], base: bases.at(-1) ?? "" };
    open.at(-1)?.children.push(element);
    open.push(element);
    this.openedAt.set(element, path.length - 1);
  }

  ontext(text: string): void {
    this.unheard = 0;
    const element = this.open.at(-1);
    if (!element || !this.hold(text.length)) return;
    const isMarkup = element.attributes.type === "xhtml";
    element.text += isMarkup ? Bun.escapeHTML(text) : text;
  }

  onclosetag(name: string, isImplied: boolean): void {
    const { path, open } = this;
    this.unheard = 0;
    path.pop();
    this.bases.pop();
    if (this.passedOver) {
      if (this.isInside(this.passedOver)) return;
      open.splice(1);
      this.passedOver = null;
    }
    const inside = open.at(-1);
    if (inside?.attributes.type === "xhtml" && this.isInside(inside)) {
      inside.text += `</${bareName(name)}>`;
      return;
    }
    const element = open.pop();
    if (open.length > 0 || !element) return;
    this.held = 0;
    // At the end of the file everything is closed that was still open.
    if (!(isImplied && this.hasEnded)) this.ready.push(element);
    else if (name === element.name) this.cutOff = element.name;
  }

  private isInside(element: XmlElement): boolean {
    return this.path.length > (this.openedAt.get(element) ?? 0);
  }

  /** @returns whether there is room for it */
  private hold(characters: number): boolean {
    this.held += characters;
    const [all] = this.open;
    if (!this.passedOver && this.held > LARGEST_ELEMENT && all) {
      this.passedOver = all;
      all.children = all.children.filter(({ name }) => name === "title");
      all.text = "";
      all.tooMuch = `<${all.name}> is longer than any post can be.`;
    }
    if (this.held > LARGEST_PASSED_OVER) throw new XmlFault(`<${all?.name}> is longer than any post can be.`);
    return this.passedOver === null;
  }
}

function baseIn(own: string | undefined, around: string): string {
  return own === undefined ? around : (URL.parse(own.trim(), around || undefined)?.href ?? around);
}

/** Markup that is a text's own: Atom's xhtml, whose elements may be written with a prefix. */
function openingTag(name: string, attributes: Record<string, string>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${Bun.escapeHTML(value)}"`);
  return `<${bareName(name)}${written.join("")}>`;
}

function bareName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** By the encoding that the first line names, or else UTF-8. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const piece of bytes) {
    decoder ??= decoderFor(piece);
    yield decoder.decode(piece, { stream: true });
  }
  if (decoder) yield decoder.decode();
}

function decoderFor(piece: Uint8Array): TextDecoder {
  const wide = wideEncodingOf(piece);
  if (wide) return new TextDecoder(wide);
  const beginning = Buffer.from(piece.subarray(0, 200)).toString("latin1");
  const [, encoding = "utf-8"] =
    /^[^<]{0,3}<\?xml[^>]{0,100}encoding=["']([\w-]{1,40})["']/.exec(beginning) ?? [];
  try {
    return new TextDecoder(encoding as Bun.Encoding);
  } catch {
    return new TextDecoder();
  }
}

/** The text of the first child of this name; "" where there is none. */
export function textOf(element: XmlElement, name: string): string {
  return element.children.find((child) => child.name === name)?.text ?? "";
}

export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}
