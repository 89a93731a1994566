import { type Handler, Parser } from "htmlparser2";
import { MEGABYTE } from "../../../config/units";
import { utf16Encoding } from "./source";

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: XmlElement[];
  /** The base URL from `xml:base`, or "". */
  base: string;
  /** The reason why the element is incomplete, as a sentence. Only its title is kept. */
  tooMuch?: string;
}

const MAX_ELEMENT_BYTES = 64 * MEGABYTE;
const MAX_SKIPPED_BYTES = 4 * MAX_ELEMENT_BYTES;
/** Number of characters counted for each element, because even empty elements take memory. */
const ELEMENT_ITSELF = 100;
/**
 * Maximum depths for kept elements and for all elements. htmlparser2 slows down with the number of open elements.
 */
const MAX_DEPTH = 100;
const MAX_DEPTH_OVERALL = 1000;

/** The rest of the file cannot be read. The message contains the reason. */
export class XmlError extends Error {}

export class XmlTruncated extends XmlError {}

/**
 * Yields elements with these names at any depth. Does not keep the rest in memory, and does not resolve document
 * entities.
 * @throws XmlError after all readable elements, if the file is truncated or too large
 */
export async function* readXmlElements(
  bytes: AsyncIterable<Uint8Array>,
  names: readonly string[],
): AsyncGenerator<XmlElement> {
  const elements = new HeldElements(names);
  const parser = new Parser(elements, { xmlMode: true, decodeEntities: true });
  for await (const text of decodeXml(bytes)) {
    elements.hearOf(text.length);
    let error: unknown = null;
    try {
      parser.write(text);
    } catch (caught) {
      error = caught;
    }
    yield* elements.ready.splice(0);
    if (error) throw error;
  }
  const missing = elements.end();
  parser.end();
  yield* elements.ready.splice(0);
  const cutOff = elements.cutOff || missing;
  if (cutOff) throw new XmlTruncated(`The file is truncated inside <${cutOff}>.`);
}

class HeldElements implements Partial<Handler> {
  readonly ready: XmlElement[] = [];
  /** Name of the requested element in which the file ends, or "". */
  cutOff = "";
  private readonly path: string[] = [];
  /** The base URL of each open element. */
  private readonly bases: string[] = [];
  private readonly open: XmlElement[] = [];
  /** Depth at which each element was opened. */
  private readonly openedAt = new WeakMap<XmlElement, number>();
  private held = 0;
  private unheard = 0;
  private passedOver: XmlElement | null = null;
  private hasEnded = false;

  constructor(private readonly names: readonly string[]) {}

  /** Limits the text that the parser buffers. @throws XmlError */
  hearOf(characters: number): void {
    this.unheard += characters;
    if (this.unheard > MAX_ELEMENT_BYTES) throw new XmlError("An element in it does not end.");
  }

  /** @returns the name of an element that is still open */
  end(): string | undefined {
    this.hasEnded = true;
    return this.path.at(-1);
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    const { path, bases, open } = this;
    this.unheard = 0;
    path.push(name);
    bases.push(baseIn(attributes["xml:base"], bases.at(-1) ?? ""));
    if (path.length > MAX_DEPTH_OVERALL) throw new XmlError(`<${path[0]}> is nested too deeply.`);
    if (open.length === 0 && !this.names.includes(name)) return;
    if (!this.hold(ELEMENT_ITSELF)) return;
    const markup = open.find(({ attributes }) => attributes.type === "xhtml");
    if (markup) {
      markup.text += openingTag(name, attributes);
      return;
    }
    if (open.length >= MAX_DEPTH) throw new XmlError(`<${open[0]?.name}> is nested too deeply.`);
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
    // The parser closes open elements at the end of the file.
    if (!(isImplied && this.hasEnded)) this.ready.push(element);
    else if (name === element.name) this.cutOff = element.name;
  }

  private isInside(element: XmlElement): boolean {
    return this.path.length > (this.openedAt.get(element) ?? 0);
  }

  /** @returns whether the element is still within the size limit */
  private hold(characters: number): boolean {
    this.held += characters;
    const [all] = this.open;
    if (!this.passedOver && this.held > MAX_ELEMENT_BYTES && all) {
      this.passedOver = all;
      all.children = all.children.filter(({ name }) => name === "title");
      all.text = "";
      all.tooMuch = `<${all.name}> is too long.`;
    }
    if (this.held > MAX_SKIPPED_BYTES) throw new XmlError(`<${all?.name}> is too long.`);
    return this.passedOver === null;
  }
}

function baseIn(own: string | undefined, around: string): string {
  return own === undefined ? around : (URL.parse(own.trim(), around || undefined)?.href ?? around);
}

/** Serializes a tag of Atom's XHTML content. Element names may have a prefix. */
function openingTag(name: string, attributes: Record<string, string>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${Bun.escapeHTML(value)}"`);
  return `<${bareName(name)}${written.join("")}>`;
}

function bareName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Decodes bytes with the encoding from the XML declaration, or as UTF-8. */
async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const piece of bytes) {
    decoder ??= decoderFor(piece);
    yield decoder.decode(piece, { stream: true });
  }
  if (decoder) yield decoder.decode();
}

function decoderFor(piece: Uint8Array): TextDecoder {
  const wide = utf16Encoding(piece);
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

export function childText(element: XmlElement, name: string): string {
  return element.children.find((child) => child.name === name)?.text ?? "";
}

export function childElements(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}
