import { DomUtils } from "htmlparser2";
import { html } from "../../../text/html";
import {
  documentOf,
  type Element,
  elements,
  putInstead,
  tidyHtml,
  unfoldGalleries,
  unwrap,
} from "../content/html-content";
import { playerOrLink } from "../content/video-players";
import { LARGEST_TEXT, SourceFault } from "../sources/source";
import { withParagraphs } from "./auto-paragraphs";
import { expandedShortcode, looksLikeShortcode, replaceShortcodes } from "./shortcodes";
import { NOT_THERE, type WordpressFiles } from "./wordpress-files";

/** Shortcodes that others than WordPress itself have brought, and blocks, that are told of by name. */
const MOST_LOST = 20;

/** A post's text as WordPress showed it, as HTML with whole pictures. @param lost is told what cannot be kept */
export function wordpressHtml(
  text: string,
  post: string,
  files: WordpressFiles,
  lost: (what: string) => void,
): string {
  const isOfBlocks = text.includes("<!-- wp:");
  const names = new Set<string>();
  const expanded = replaceShortcodes(withBlocks(text, files, lost), (code) => {
    const known = expandedShortcode(code, post, files, lost);
    if (known === null && looksLikeShortcode(code.name) && names.size < MOST_LOST) names.add(code.name);
    return known;
  });
  for (const name of names) lost(`the shortcode [${name}], which stays as it is written`);
  for (const name of blocksWithoutText(expanded))
    lost(`the block ${name}, which WordPress makes when it shows the post`);
  const withoutMarks = expanded.replace(/<!--\s{0,9}(?:more|nextpage)[^>]{0,200}-->/g, "");
  const document = documentOf(isOfBlocks ? withoutMarks : withParagraphs(withAddressesPlayed(withoutMarks)));
  for (const embed of elements(document, "figure").filter(isEmbed)) playEmbed(embed);
  unwrap(document, isAround);
  unfoldGalleries(document, (classes) => /\b(?:wp-block-gallery|blocks-gallery-grid)\b/.test(classes));
  for (const image of elements(document, "img")) showWhole(image, files);
  return tidyHtml(document);
}

/** One of those that are used in several posts, in its place; what is in it itself stays out. */
function withBlocks(text: string, files: WordpressFiles, lost: (what: string) => void): string {
  let length = text.length;
  return text.replace(/<!-- wp:block \{"ref":(\d{1,15})[^<>]{0,200}\/-->/g, (_, id) => {
    const block = files.blockWithId(id);
    if (block === undefined) lost(`blocks that several posts use, ${NOT_THERE}`);
    length += block?.length ?? 0;
    if (length > LARGEST_TEXT) throw new SourceFault("is longer than any post can be.");
    return block ?? "";
  });
}

/** Show something, though nothing of it stands in the text. */
const SAY_NOTHING = /^(?:block|footnotes|more|nextpage|spacer|separator|post-[\w-]+)$/;

function blocksWithoutText(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = ""] of text.matchAll(/<!-- wp:([a-z][\w/-]{0,80})(?: \{[^<>]{0,4000}\})? \/-->/g))
    if (!SAY_NOTHING.test(name) && names.size < MOST_LOST) names.add(name);
  return names;
}

/** Of columns and groups: what is in them stands one below the other. */
function isAround({ attribs }: Element): boolean {
  return /\bwp-block-(?:columns?|group(?:__inner-container)?|cover__inner-container|media-text(?:__content)?|buttons?)(?!-|_)/.test(
    attribs.class ?? "",
  );
}

/** An address alone in its line WordPress shows as what is there: a player, or a link. */
function withAddressesPlayed(text: string): string {
  return text.replace(
    /^[ \t]{0,9}(https?:\/\/[^\s<>"]{1,1000})[ \t]{0,9}\r?$/gm,
    (line, address) => playerOrLink(address) || line,
  );
}

function isEmbed({ attribs }: Element): boolean {
  return /\bwp-block-embed\b/.test(attribs.class ?? "");
}

/** A block's frame holds nothing but the address. */
function playEmbed(embed: Element): void {
  const text = DomUtils.textContent(embed).trim();
  const [address = ""] = /^https?:\/\/\S{1,1000}/.exec(text) ?? [];
  const caption = DomUtils.textContent(elements(embed, "figcaption")).trim();
  const below = caption && html`\n<p>${caption}</p>`.markup;
  if (address !== "") putInstead(embed, playerOrLink(address) + below);
}

function showWhole(image: Element, files: WordpressFiles): void {
  const [, id] = /\bwp-image-(\d{1,15})\b/.exec(image.attribs.class ?? "") ?? [];
  const file = (id && files.withId(id)) || files.wholeOf(image.attribs.src ?? "");
  if (file) image.attribs.src = file.address;
}
