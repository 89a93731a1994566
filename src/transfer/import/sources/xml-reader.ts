import { DomHandler, DomUtils, Parser, type parseDocument } from "htmlparser2";
import { MEGABYTE } from "../../../config/units";
import { utf16Encoding } from "./source-files";

type XmlNode = ReturnType<typeof parseDocument>["children"][number];
export type XmlElement = Extract<XmlNode, { attribs: Record<string, string> }>;

const MAX_ELEMENT_LENGTH = 128 * MEGABYTE;

/** The rest of the file cannot be read. */
export class XmlError extends Error {}

export class XmlTruncated extends XmlError {}

/**
 * Yields the outermost elements with these names; keeps no others in memory. Does not resolve document
 * entities.
 * @throws XmlError after all readable elements, if the file is truncated or an element is too long
 */
export async function* readXmlElements(bytes: AsyncIterable<Uint8Array>, names: readonly string[]) {
  const tree = new RequestedElements(names);
  const parser = new Parser(tree, { xmlMode: true, decodeEntities: true });
  for await (const text of decodeXml(bytes)) {
    parser.write(text);
    yield* tree.ready.splice(0);
    tree.length += text.length;
    if (tree.length > MAX_ELEMENT_LENGTH) throw new XmlError(`<${tree.open.at(-1)?.name}> is too long.`);
  }
  const requested = tree.open.find(({ name }) => names.includes(name)) ?? tree.open.at(-1);
  if (requested) throw new XmlTruncated(`The file is truncated inside <${requested.name}>.`);
  parser.end();
}

class RequestedElements extends DomHandler {
  readonly ready: XmlElement[] = [];
  readonly open: { name: string; base: string }[] = [];
  /** In characters, since the last requested element. */
  length = 0;

  constructor(private readonly names: readonly string[]) {
    super(undefined, { xmlMode: true });
  }

  private get isInside(): boolean {
    return this.tagStack.length > 1;
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    const base = resolveBase(attributes, this.open.at(-1)?.base ?? "");
    this.open.push({ name, base });
    if (this.isInside) super.onopentag(name, attributes);
    else if (this.names.includes(name)) super.onopentag(name, { ...attributes, "xml:base": base });
  }

  override ontext(text: string): void {
    if (this.isInside) super.ontext(text);
  }

  override onclosetag(): void {
    this.open.pop();
    if (!this.isInside) return;
    super.onclosetag();
    if (this.isInside) return;
    this.ready.push(this.root.children.at(-1) as XmlElement);
    this.root.children = [];
    this.length = 0;
  }
}

async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const piece of bytes) {
    decoder ??= decoderFor(piece);
    yield decoder.decode(piece, { stream: true });
  }
  if (decoder) yield decoder.decode();
}

const XML_DECLARATION = /^[^<]{0,3}<\?xml[^>]{0,100}encoding=["']([\w-]{1,40})["']/;

function decoderFor(piece: Uint8Array): TextDecoder {
  const beginning = Buffer.from(piece.subarray(0, 200)).toString("latin1");
  const [, encoding = "utf-8"] = XML_DECLARATION.exec(beginning) ?? [];
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

/** From `xml:base` of the element and its parents; "" if there is none. */
export function baseUrl(element: XmlElement): string {
  const { parent, attribs } = element;
  return resolveBase(attribs, parent && "attribs" in parent ? baseUrl(parent as XmlElement) : "");
}

function resolveBase({ "xml:base": own }: Record<string, string>, inherited: string): string {
  return own === undefined ? inherited : (URL.parse(own.trim(), inherited || undefined)?.href ?? inherited);
}
