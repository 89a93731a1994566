import { invalid } from "../../errors";
import { oneLine, percentDecoded } from "../../text/clean-text";
import { MAX_ATTACHMENTS } from "../post/post-limits";

/** Elements inside each other. htmlparser2 walks the open ones for every tag, so that deep and long takes seconds. */
const DEEPEST = 400;
export const TOO_MANY_ATTACHMENTS = `must hold at most ${MAX_ATTACHMENTS} attachments`;
/** Stands before and after an embed's number in the HTML it was taken from; cleaned text holds no such character. */
export const EMBED_MARK = "\u001A";

/** An attachment as the content names it. */
export interface Embed {
  sgid: string;
  filename: string;
  caption: string;
}

/** Where an embed is in the source, from its first character to behind its last. */
interface EmbedRange {
  embed: Embed;
  start: number;
  end: number;
}

/** An embed whose end tag has not been seen. */
interface OpenEmbed {
  embed: Embed;
  depth: number;
  start: number;
  /** Behind the start tag. */
  tagEnd: number;
  /** How many ranges were known before: those inside it come after. */
  ranges: number;
  figcaption: string | null;
}

/**
 * Takes the attachments out of the HTML, so that sanitising need not know them; each leaves its number between marks.
 * Attachment elements, rendered figures (known by their data-sgid) and Trix's figures are taken with all they hold.
 * @param html without control characters
 * @throws Refusal (invalid) where elements are nested too deep, or there are too many attachments
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

/** Most posts have none, and are not read for them. What is nested too deep has more tags than may be nested. */
function mayHoldEmbeds(html: string): boolean {
  return (
    /<(?:figure|action-text-attachment)/i.test(html) || html.split("<", DEEPEST + 2).length > DEEPEST + 1
  );
}

function embedRanges(html: string): EmbedRange[] {
  const ranges: EmbedRange[] = [];
  const open: OpenEmbed[] = [];
  let depth = 0;
  let embeds = 0;
  let figcaptions = 0;
  // Loaded when it is needed: the server starts without it.
  const { Parser } = require("htmlparser2") as typeof import("htmlparser2");
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > DEEPEST) throw invalid({ content: [`must not nest more than ${DEEPEST} elements`] });
        if (name === "figcaption") figcaptions++;
        const figure = open.at(-1);
        if (figure && attributes.src) figure.embed.filename ||= filenameIn(attributes.src);
        const embed = embedOf(name, attributes);
        if (!embed) return;
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
        if (open.at(-1)?.depth === depth--) closeEmbed(open.pop() as OpenEmbed, isImplied);
      },
    },
    // `<action-text-attachment … />` is whole, whatever HTML says.
    { recognizeSelfClosing: true },
  );
  /** An element without an end tag of its own is its start tag alone: what follows it is not its content. */
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

function embedOf(name: string, attributes: Record<string, string>): Embed | null {
  if (name === "action-text-attachment") return embed(attributes);
  if (name !== "figure") return null;
  if (attributes["data-trix-attachment"] !== undefined) {
    const attachment = objectIn(attributes["data-trix-attachment"]);
    return attachment.sgid ? embed({ ...objectIn(attributes["data-trix-attributes"]), ...attachment }) : null;
  }
  const isRendered = attributes.class?.split(/\s+/).includes("attachment") && attributes["data-sgid"];
  return isRendered ? embed({ sgid: attributes["data-sgid"] }) : null;
}

/** JSON may spell characters that the cleaned HTML around it cannot hold. */
function embed({ sgid, filename, caption }: Record<string, unknown>): Embed {
  const text = (value: unknown) => (typeof value === "string" ? oneLine(value) : "");
  return { sgid: text(sgid), filename: text(filename), caption: text(caption) };
}

/** A rendered figure names its file by its address only. */
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
