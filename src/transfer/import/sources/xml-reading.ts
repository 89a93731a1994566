import { Parser } from "htmlparser2";
import { MEGABYTE } from "../../../units";
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

/**
 * The elements of these names, each as soon as it has ended, whatever they are in; of the rest nothing is held. Entities
 * of a document's own are not put in, and nothing is ever fetched for it. One that is longer than any post is passed over.
 * @throws XmlFault where it ends early or is beyond all measure, after all that came before
 */
export async function* xmlElements(
  bytes: AsyncIterable<Uint8Array>,
  names: readonly string[],
): AsyncGenerator<XmlElement> {
  const ready: XmlElement[] = [];
  const path: string[] = [];
  /** What each element of the path says that addresses are relative to. */
  const bases: string[] = [];
  const open: XmlElement[] = [];
  /** Element → how many were around it. */
  const openedAt = new WeakMap<XmlElement, number>();
  let held = 0;
  let unheard = 0;
  let passedOver: XmlElement | null = null;
  /** @returns whether there is room for it */
  const hold = (characters: number): boolean => {
    held += characters;
    const [all] = open;
    if (!passedOver && held > LARGEST_ELEMENT && all) {
      passedOver = all;
      all.children = all.children.filter(({ name }) => name === "title");
      all.text = "";
      all.tooMuch = `<${all.name}> is longer than any post can be.`;
    }
    if (held > LARGEST_PASSED_OVER) throw new XmlFault(`<${open[0]?.name}> is longer than any post can be.`);
    return passedOver === null;
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        unheard = 0;
        path.push(name);
        bases.push(baseIn(attributes["xml:base"], bases.at(-1) ?? ""));
        if (path.length > DEEPEST_OF_ALL) throw new XmlFault(`<${path[0]}> is nested too deep.`);
        if (open.length === 0 && !names.includes(name)) return;
        if (!hold(ELEMENT_ITSELF)) return;
        const markup = open.find(({ attributes }) => attributes.type === "xhtml");
        if (markup) {
          markup.text += openingTag(name, attributes);
          return;
        }
        if (open.length >= DEEPEST) throw new XmlFault(`<${open[0]?.name}> is nested too deep.`);
        const element = { name, attributes, text: "", children: [], base: bases.at(-1) ?? "" };
        open.at(-1)?.children.push(element);
        open.push(element);
        openedAt.set(element, path.length - 1);
      },
      ontext(text) {
        unheard = 0;
        const element = open.at(-1);
        if (!element || !hold(text.length)) return;
        const isMarkup = element.attributes.type === "xhtml";
        element.text += isMarkup ? Bun.escapeHTML(text) : text;
      },
      onclosetag(name, isImplied) {
        unheard = 0;
        path.pop();
        bases.pop();
        if (passedOver) {
          if (path.length > (openedAt.get(passedOver) ?? 0)) return;
          open.splice(1);
          passedOver = null;
        }
        const inside = open.at(-1);
        if (inside?.attributes.type === "xhtml" && path.length > (openedAt.get(inside) ?? 0)) {
          inside.text += `</${bareName(name)}>`;
          return;
        }
        const element = open.pop();
        if (open.length > 0 || !element) return;
        held = 0;
        // At the end of the file everything is closed that was still open.
        if (!(isImplied && isOver)) ready.push(element);
        else if (name === element.name) cutOff = element.name;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  let isOver = false;
  let cutOff = "";
  for await (const text of decoded(bytes)) {
    unheard += text.length;
    if (unheard > LARGEST_ELEMENT) throw new XmlFault("Something in it does not end.");
    let fault: unknown = null;
    try {
      parser.write(text);
    } catch (caught) {
      fault = caught;
    }
    yield* ready.splice(0);
    if (fault) throw fault;
  }
  isOver = true;
  const missing = path.at(-1);
  parser.end();
  yield* ready.splice(0);
  if (cutOff !== "" || missing !== undefined)
    throw new XmlFault(`The file ends early, inside of <${cutOff || missing}>: what came after is missing.`);
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
