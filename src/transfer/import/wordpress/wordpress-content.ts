import { DomUtils } from "htmlparser2";
import { html, raw } from "../../../html";
import { unfoldGalleries } from "../content/galleries";
import {
  documentOf,
  type Element,
  elements,
  outerHtml,
  putInstead,
  tidyHtml,
  unwrap,
} from "../content/html-pictures";
import { playerOrLink } from "../content/players";
import { withParagraphs } from "./paragraphs";
import { replaceShortcodes, type Shortcode } from "./shortcodes";

/** What is known of a file that was uploaded to a WordPress. */
export interface WordpressFile {
  id: string;
  address: string;
  title: string;
  alt: string;
  caption: string;
  /** The post it was uploaded to. */
  parent: string;
}

export interface WordpressFiles {
  withId(id: string): WordpressFile | undefined;
  /** In the order of the export. */
  uploadedTo(post: string): WordpressFile[];
  /** The whole picture that this is a smaller size of. */
  wholeOf(address: string): WordpressFile | undefined;
  /** What a block says that is used in several posts. */
  blockWithId(id: string): string | undefined;
}

/** `[caption]` and the like that others than WordPress itself have brought, by name. */
const MOST_LOST = 20;
/** Words in brackets are no shortcodes; what stands here has been seen as one. */
const LOOKS_LIKE_ONE =
  /^(?:contact-form(?:-7)?|[a-z]+[_-][\w-]+|gravityform|wpforms?|ninja_form|slideshow|map|poll|soundcloud|tweet|tiktok|instagram|recipe|toc|button|columns?|tabs?|accordion|toggle)$/;

/** A post's text as WordPress showed it, as HTML with whole pictures. @param lost is told what cannot be kept */
export function wordpressHtml(
  text: string,
  post: string,
  files: WordpressFiles,
  lost: (what: string) => void,
): string {
  const isOfBlocks = text.includes("<!-- wp:");
  const names = new Set<string>();
  const expanded = replaceShortcodes(withBlocks(text, files), (code) => {
    const known = expandedShortcode(code, post, files);
    if (known === null && LOOKS_LIKE_ONE.test(code.name) && names.size < MOST_LOST) names.add(code.name);
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
function withBlocks(text: string, files: WordpressFiles): string {
  return text.replace(
    /<!-- wp:block \{"ref":(\d{1,15})[^<>]{0,200}\/-->/g,
    (_, id) => files.blockWithId(id) ?? "",
  );
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

function expandedShortcode(code: Shortcode, post: string, files: WordpressFiles): string | null {
  const { name, attributes, values, inside } = code;
  switch (name) {
    case "caption":
    case "wp_caption":
      return inside === null ? "" : captioned(inside, attributes.caption);
    case "gallery":
      return gallery(attributes, post, files);
    case "playlist":
      return playlist(attributes, post, files);
    case "embed":
    case "youtube":
    case "vimeo":
      return `\n\n${playerOrLink(inside ?? attributes.src ?? attributes.url ?? values[0]?.replace(/^=/, "") ?? "")}\n\n`;
    case "video":
      return `\n\n${film(attributes.src ?? attributes.mp4 ?? attributes.webm ?? attributes.m4v ?? attributes.mov ?? inside ?? "")}\n\n`;
    case "audio":
      return `\n\n${sound(attributes.src ?? attributes.mp3 ?? attributes.m4a ?? attributes.ogg ?? values[0] ?? inside ?? "")}\n\n`;
    case "code":
    case "sourcecode":
      return inside === null ? null : code_(inside, attributes.language ?? attributes.lang ?? "");
    default:
      return null;
  }
}

/** The words below stand in an attribute, or behind the picture. */
function captioned(inside: string, below: string | undefined): string {
  const document = documentOf(inside);
  const [image] = elements(document, "img");
  if (!image) return inside;
  const around = image.parent as Element | null;
  const whole = around && "name" in around && around.name === "a" ? around : image;
  const shown = outerHtml([whole]);
  DomUtils.removeElement(whole);
  const words = below ?? DomUtils.textContent(document.children).trim();
  return `\n\n${html`<figure>${raw(shown)}<figcaption>${words}</figcaption></figure>`.markup}\n\n`;
}

function gallery(attributes: Record<string, string>, post: string, files: WordpressFiles): string {
  const figures = filesNamed(attributes, post, files).map(
    ({ address, alt, caption }) =>
      html`<figure><img src="${address}" alt="${alt}">${caption && html`<figcaption>${caption}</figcaption>`}</figure>`
        .markup,
  );
  return `\n\n${figures.join("\n\n")}\n\n`;
}

/** Each with its title, as the list beside the player has them. */
function playlist(attributes: Record<string, string>, post: string, files: WordpressFiles): string {
  const isFilms = attributes.type === "video";
  const isPlayed = isFilms ? FILM : SOUND;
  const played = filesNamed(attributes, post, files)
    .filter(({ address }) => isPlayed.test(address))
    .map(
      ({ address, title }) =>
        `<p>${html`${title}`.markup}</p>\n\n${isFilms ? film(address) : sound(address)}`,
    );
  return `\n\n${played.join("\n\n")}\n\n`;
}

/** Those that `ids` names, or those that were uploaded to the post. */
function filesNamed(
  attributes: Record<string, string>,
  post: string,
  files: WordpressFiles,
): WordpressFile[] {
  const named = (attributes.ids ?? attributes.include ?? "").split(/[\s,]+/).filter(Boolean);
  const shown =
    named.length > 0 ? named.map((id) => files.withId(id)) : files.uploadedTo(attributes.id ?? post);
  const left = new Set((attributes.exclude ?? "").split(/[\s,]+/));
  return shown.filter((file) => file !== undefined).filter(({ id }) => !left.has(id));
}

const FILM = /\.(?:mp4|m4v|mov|webm)(?:\?|$)/i;
const SOUND = /\.(?:mp3|m4a|m4b|ogg|oga|opus|wav|flac|aac)(?:\?|$)/i;

function film(address: string): string {
  return FILM.test(address)
    ? html`<video src="${address.trim()}" controls></video>`.markup
    : playerOrLink(address);
}

function sound(address: string): string {
  return address === "" ? "" : html`<audio src="${address.trim()}" controls></audio>`.markup;
}

function code_(inside: string, language: string): string {
  const known = /^[\w+#.-]{1,30}$/.test(language) && html` class="language-${language.toLowerCase()}"`;
  return `\n\n${html`<pre><code${known}>${decoded(inside).replace(/^\n|\n$/g, "")}</code></pre>`.markup}\n\n`;
}

/** Older WordPress stored code with its signs written out. */
function decoded(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|#0?39);/g, (_, name: string) => {
    return { lt: "<", gt: ">", amp: "&", quot: '"' }[name] ?? "'";
  });
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
