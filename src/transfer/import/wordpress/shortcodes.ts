import { DomUtils } from "htmlparser2";
import { html, raw } from "../../../text/html";
import {
  figureHtml,
  findElements,
  type HtmlElement,
  htmlToText,
  parseHtml,
  playerHtml,
  serializeHtml,
  videoPlayerOrLink,
} from "../items/html-content";
import { imageOfFile, NOT_IN_EXPORT, type WordpressFile, type WordpressFiles } from "./wordpress-files";

export interface WordpressContext {
  /** Id of the post. */
  post: string;
  files: WordpressFiles;
  lost: string[];
}

/** Names that are probably shortcodes. Other words in brackets are not reported. */
export const LIKELY_SHORTCODE =
  /^(?:contact-form(?:-7)?|[a-z]+[_-][\w-]+|gravityform|wpforms?|ninja_form|slideshow|playlist|map|poll|soundcloud|tweet|tiktok|instagram|recipe|toc|button|columns?|tabs?|accordion|toggle)$/;

export function expandShortcode(code: Shortcode, context: WordpressContext): string | null {
  const { name, attributes, values, inside } = code;
  switch (name) {
    case "caption":
    case "wp_caption":
      return inside === null ? "" : captionedFigure(inside, attributes.caption);
    case "gallery":
      return gallery(filesNamed(attributes, context));
    case "embed":
    case "youtube":
    case "vimeo": {
      const address = inside ?? attributes.src ?? attributes.url ?? values[0]?.replace(/^=/, "") ?? "";
      return `\n\n${videoPlayerOrLink(address)}\n\n`;
    }
    case "video": {
      const { src, mp4, webm, m4v, mov } = attributes;
      const address = src ?? mp4 ?? webm ?? m4v ?? mov ?? inside ?? "";
      const isFile = /\.(?:mp4|m4v|mov|webm)(?:\?|$)/i.test(address);
      return `\n\n${isFile ? playerHtml("video", address.trim()) : videoPlayerOrLink(address)}\n\n`;
    }
    case "audio": {
      const { src, mp3, m4a, ogg } = attributes;
      const address = src ?? mp3 ?? m4a ?? ogg ?? values[0] ?? inside ?? "";
      return `\n\n${address && playerHtml("audio", address.trim())}\n\n`;
    }
    case "code":
    case "sourcecode":
      return inside === null ? null : codeBlock(inside, attributes.language ?? attributes.lang ?? "");
    default:
      return null;
  }
}

function captionedFigure(inside: string, below: string | undefined): string {
  const document = parseHtml(inside);
  const [image] = findElements(document, "img");
  if (!image) return inside;
  const around = image.parent as HtmlElement | null;
  const whole = around && "name" in around && around.name === "a" ? around : image;
  const shown = raw(serializeHtml([whole]));
  DomUtils.removeElement(whole);
  const words = htmlToText(below ?? serializeHtml(document.children));
  return `\n\n${figureHtml(shown, words)}\n\n`;
}

function gallery(shown: WordpressFile[]): string {
  const figures = shown
    .map(imageOfFile)
    .map(({ address, alt, caption }) => figureHtml(html`<img src="${address}" alt="${alt ?? ""}">`, caption));
  return `\n\n${figures.join("\n\n")}\n\n`;
}

function filesNamed(attributes: Record<string, string>, { post, files, lost }: WordpressContext) {
  const named = (attributes.ids ?? attributes.include ?? "").split(/[\s,]+/).filter(Boolean);
  const shown =
    named.length > 0
      ? named.map((id) => files.byId.get(id))
      : (files.byPost.get(attributes.id ?? post) ?? []);
  if (shown.length === 0 || shown.includes(undefined)) lost.push(`gallery images, ${NOT_IN_EXPORT}`);
  const excluded = new Set((attributes.exclude ?? "").split(/[\s,]+/));
  return shown.filter((file) => file !== undefined).filter(({ id }) => !excluded.has(id));
}

function codeBlock(inside: string, language: string): string {
  const known = /^[\w+#.-]{1,30}$/.test(language) && html` class="language-${language.toLowerCase()}"`;
  // Older WordPress versions stored code with entities.
  const code = inside.replace(/&(lt|gt|amp|quot|#0?39);/g, (_, name: string) => {
    return { lt: "<", gt: ">", amp: "&", quot: '"' }[name] ?? "'";
  });
  return `\n\n${html`<pre><code${known}>${code.replace(/^\n|\n$/g, "")}</code></pre>`.markup}\n\n`;
}

interface Shortcode {
  name: string;
  attributes: Record<string, string>;
  values: string[];
  inside: string | null;
}

/** A second opening bracket escapes a shortcode. */
const SHORTCODE =
  /(?<!\[)\[([a-z][\w-]{1,60})(?=[\s\]/=])([^\]]{0,2000})\](?:((?:(?!\[\1[\s\]])[\s\S])*?)\[\/\1\])?/gi;
const ATTRIBUTE =
  /([\w-]{1,60})=(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\s"']{1,2000}))|"([^"]{0,2000})"|(\S{1,2000})/g;

/** Also replaces shortcodes inside unknown ones. @param expand returns HTML, or null to keep the text */
export function replaceShortcodes(text: string, expand: (code: Shortcode) => string | null): string {
  return text.replace(SHORTCODE, (whole, name: string, written: string, inside?: string) => {
    const code = { name: name.toLowerCase(), ...attributesIn(written.replace(/\/$/, "")) };
    const known = expand({ ...code, inside: inside ?? null });
    if (known !== null || inside === undefined) return known ?? whole;
    const end = whole.length - `[/${name}]`.length;
    return whole.slice(0, end - inside.length) + replaceShortcodes(inside, expand) + whole.slice(end);
  });
}

function attributesIn(text: string): Pick<Shortcode, "attributes" | "values"> {
  const attributes: Record<string, string> = {};
  const values: string[] = [];
  for (const [, name, ...groups] of text.replace(/[“”″]/g, '"').matchAll(ATTRIBUTE)) {
    const value = groups.find((one) => one !== undefined) ?? "";
    if (name) attributes[name.toLowerCase()] = value;
    else values.push(value);
  }
  return { attributes, values };
}
