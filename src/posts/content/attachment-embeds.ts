import { invalid } from "../../errors";
import { oneLine, percentDecoded } from "../../text/clean-text";
import { MAX_ATTACHMENTS } from "../post/post-limits";

/** Maximum nesting depth. htmlparser2 walks all open elements for every tag, so deep nesting is slow. */
const MAX_DEPTH = 400;
export const TOO_MANY_ATTACHMENTS = `must contain at most ${MAX_ATTACHMENTS} attachments`;
/** Surrounds an embed's number in the extracted HTML. Cleaned text never contains this character. */
export const EMBED_MARK = "\u001A";

/** Widths that an author can choose. Without one, the theme decides. */
const WIDTHS = ["text", "wide", "full"];
/** Shapes that pages crop a picture to. */
const CROPS = ["1:1", "4:3", "16:9", "4:5"];

export interface Embed {
  /** Whether the embed belongs to a link card or a player, and not to the post itself. */
  isOfCard: boolean;
  /** One of `WIDTHS`, or "". */
  width: string;
  /** One of `CROPS`, or "". */
  crop: string;
  sgid: string;
  filename: string;
  caption: string;
}

interface EmbedRange {
  embed: Embed;
  start: number;
  end: number;
}

/** An embed whose end tag has not been read yet. */
interface OpenEmbed {
  embed: Embed;
  depth: number;
  start: number;
  tagEnd: number;
  /** Number of ranges found before this embed opened. */
  ranges: number;
  figcaption: string | null;
}

/**
 * Replaces attachments in the HTML with numbered marks.
 * @param html without control characters
 * @throws Refusal (invalid) if there are too many attachments or nesting levels
 */
export function extractEmbeds(html: string): { html: string; embeds: Embed[] } {
  const ranges = mayHoldEmbeds(html) ? embedRanges(html) : [];
  const pieces: string[] = [];
  let copied = 0;
  ranges.forEach(({ start, end }, number) => {
    pieces.push(html.slice(copied, start), `${EMBED_MARK}${number}${EMBED_MARK}`);
    copied = end;
  });
  return { html: pieces.join("") + html.slice(copied), embeds: ranges.map(({ embed }) => embed) };
}

/** A fast check that avoids the parser for most posts. HTML with few tags cannot nest too deeply. */
function mayHoldEmbeds(html: string): boolean {
  return (
    /<(?:figure|action-text-attachment)/i.test(html) || html.split("<", MAX_DEPTH + 2).length > MAX_DEPTH + 1
  );
}

function embedRanges(html: string): EmbedRange[] {
  const ranges: EmbedRange[] = [];
  const open: OpenEmbed[] = [];
  let depth = 0;
  let embeds = 0;
  let figcaptions = 0;
  /** Depth of the open card; 0 outside. */
  let card = 0;
  // Loaded on first use, so that the server starts fast.
  const { Parser } = require("htmlparser2") as typeof import("htmlparser2");
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH)
          throw invalid({ content: [`must not nest more than ${MAX_DEPTH} elements`] });
        if (name === "figcaption") figcaptions++;
        if (card === 0 && isCard(name, attributes)) card = depth;
        const figure = open.at(-1);
        if (figure && attributes.src) figure.embed.filename ||= filenameIn(attributes.src);
        const found = embedOf(name, attributes);
        if (!found) return;
        const embed = { ...found, isOfCard: card > 0 };
        if (++embeds > MAX_ATTACHMENTS) throw invalid({ content: [TOO_MANY_ATTACHMENTS] });
        const [start, tagEnd] = [parser.startIndex, parser.endIndex + 1];
        open.push({
          embed,
          depth,
          start,
          tagEnd,
          ranges: ranges.length,
          figcaption: name === "figure" ? "" : null,
        });
      },
      ontext(text) {
        const figure = open.at(-1);
        if (figcaptions > 0 && figure && figure.figcaption !== null) figure.figcaption += text;
      },
      onclosetag(name, isImplied) {
        if (name === "figcaption") figcaptions--;
        if (card === depth) card = 0;
        if (open.at(-1)?.depth === depth--) closeEmbed(open.pop() as OpenEmbed, isImplied);
      },
    },
    // HTML has no self-closing custom elements, but `<action-text-attachment … />` is common.
    { recognizeSelfClosing: true },
  );
  /** An embed without its own end tag ends after its start tag. */
  const closeEmbed = (
    { embed, start, tagEnd, ranges: before, figcaption }: OpenEmbed,
    isImplied: boolean,
  ) => {
    if (isImplied) {
      ranges.splice(before, 0, { embed, start, end: tagEnd });
      return;
    }
    const end = html.indexOf(">", parser.endIndex) + 1 || html.length;
    const caption = embed.caption || (figcaption ?? "").replace(/\s+/g, " ").trim();
    ranges.splice(before, ranges.length, { embed: { ...embed, caption }, start, end });
  };
  parser.end(html);
  return ranges;
}

function isCard(name: string, { class: classes = "" }: Record<string, string>): boolean {
  return (name === "div" && classes === "bookmark") || (name === "figure" && classes === "player");
}

type OwnEmbed = Omit<Embed, "isOfCard">;

function embedOf(name: string, attributes: Record<string, string>): OwnEmbed | null {
  if (name === "action-text-attachment") return embed(attributes);
  if (name !== "figure") return null;
  if (attributes["data-trix-attachment"] !== undefined) {
    const attachment = objectIn(attributes["data-trix-attachment"]);
    return attachment.sgid ? embed({ ...objectIn(attributes["data-trix-attributes"]), ...attachment }) : null;
  }
  const isRendered = attributes.class?.split(/\s+/).includes("attachment") && attributes["data-sgid"];
  const { "data-sgid": sgid, "data-width": width, "data-crop": crop } = attributes;
  return isRendered ? embed({ sgid, "data-width": width, "data-crop": crop }) : null;
}

/** Removes control characters from the values, which JSON escapes may contain. */
function embed({ sgid, filename, caption, ...shown }: Record<string, unknown>): OwnEmbed {
  const text = (value: unknown) => (typeof value === "string" ? oneLine(value) : "");
  return {
    width: WIDTHS.find((width) => width === shown["data-width"]) ?? "",
    crop: CROPS.find((crop) => crop === shown["data-crop"]) ?? "",
    ...{ sgid: text(sgid), filename: text(filename), caption: text(caption) },
  };
}

function filenameIn(address: string): string {
  const segment = address.split("/").at(-1) ?? "";
  return percentDecoded(segment) ?? segment;
}

function objectIn(json = "{}"): Record<string, unknown> {
  try {
    const value = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
