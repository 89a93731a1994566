import { DomHandler, DomUtils, Parser, type parseDocument } from "htmlparser2";
import { MEGABYTE } from "../../../config/units";
import { utf16Encoding } from "./source";

type XmlNode = ReturnType<typeof parseDocument>["children"][number];
export type XmlElement = Extract<XmlNode, { attribs: Record<string, string> }>;

const MAX_ELEMENT_LENGTH = 128 * MEGABYTE;
/** Number of characters counted for each element, because even empty elements take memory. */
const CHARACTERS_PER_ELEMENT = 100;
/** htmlparser2 slows down with the number of open elements. */
const MAX_DEPTH = 500;

/** The rest of the file cannot be read. The message contains the reason. */
export class XmlError extends Error {}

export class XmlTruncated extends XmlError {}

/**
 * Yields elements with these names at any depth. Other elements are not kept in memory. Document entities are not
 * resolved.
 * @throws XmlError after all readable elements, if the file is truncated or too large
 */
export async function* readXmlElements(
  bytes: AsyncIterable<Uint8Array>,
  names: readonly string[],
): AsyncGenerator<XmlElement> {
  const tree = new RequestedElements(names);
  const parser = new Parser(tree, { xmlMode: true, decodeEntities: true });
  for await (const text of decodeXml(bytes)) {
    let error: unknown = null;
    try {
      tree.count(text.length);
      parser.write(text);
    } catch (caught) {
      error = caught;
    }
    yield* tree.ready.splice(0);
    if (error) throw error;
  }
  const { openName } = tree;
  if (openName !== null) throw new XmlTruncated(`The file is truncated inside <${openName}>.`);
  parser.end();
}

/** Keeps only the requested elements and their ancestors, whose attributes may set the base URL. */
class RequestedElements extends DomHandler {
  readonly ready: XmlElement[] = [];
  private outermost: XmlElement | null = null;
  private length = 0;

  constructor(private readonly names: readonly string[]) {
    super(undefined, { xmlMode: true });
  }

  /** Name of the element in which the text ends so far, or null. */
  get openName(): string | null {
    const open = this.outermost ?? (this.tagStack.at(-1) as XmlElement);
    return this.tagStack.length > 1 ? open.name : null;
  }

  /** @throws XmlError if the text since the last requested element is too long */
  count(characters: number): void {
    this.length += characters;
    if (this.length > MAX_ELEMENT_LENGTH) throw new XmlError(`<${this.openName ?? "?"}> is too long.`);
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    this.count(CHARACTERS_PER_ELEMENT);
    if (this.tagStack.length > MAX_DEPTH)
      throw new XmlError(`<${(this.tagStack[1] as XmlElement).name}> is nested too deeply.`);
    if (this.names.includes(name)) this.outermost ??= this.tagStack.at(-1) as XmlElement;
  }

  override ontext(text: string): void {
    if (this.outermost) super.ontext(text);
  }

  override onclosetag(): void {
    const element = this.tagStack.at(-1) as XmlElement;
    super.onclosetag();
    if (this.outermost && this.outermost !== element) return;
    if (element.parent) element.parent.children = [];
    this.length = 0;
    if (this.outermost) this.ready.push(element);
    this.outermost = null;
  }
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
  const beginning = Buffer.from(piece.subarray(0, 200)).toString("latin1");
  const [, encoding = "utf-8"] =
    /^[^<]{0,3}<\?xml[^>]{0,100}encoding=["']([\w-]{1,40})["']/.exec(beginning) ?? [];
  try {
    return new TextDecoder(utf16Encoding(piece) ?? (encoding as Bun.Encoding));
  } catch {
    return new TextDecoder();
  }
}

export function childElements({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child): child is XmlElement => "name" in child && child.name === name);
}

export function childText(element: XmlElement, name: string): string {
  const [child] = childElements(element, name);
  return child ? DomUtils.textContent(child) : "";
}

/** The base URL from `xml:base` of the element and its parents, or "". */
export function baseUrl(element: XmlElement): string {
  const inherited =
    element.parent && "attribs" in element.parent ? baseUrl(element.parent as XmlElement) : "";
  const own = element.attribs["xml:base"];
  return own === undefined ? inherited : (URL.parse(own.trim(), inherited || undefined)?.href ?? inherited);
}
