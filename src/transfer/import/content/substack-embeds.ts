import { DomUtils } from "htmlparser2";
import { html } from "../../../text/html";
import {
  findElements,
  type HtmlDocument,
  type HtmlElement,
  replaceWithHtml,
  serializeHtml,
} from "./html-content";
import { videoPlayerOrLink } from "./video-players";

/**
 * Replaces embeds that need scripts with HTML from their data attributes.
 * @param lost receives the names of content that the export does not contain
 */
export function replaceSubstackEmbeds(document: HtmlDocument, lost: (what: string) => void): void {
  for (const element of findElements(document, "div", "iframe", "a")) {
    const classes = element.attribs.class ?? "";
    if (classes === "pullquote")
      replaceWithHtml(element, `<blockquote>${serializeHtml(element.children)}</blockquote>`);
    else if (/\bfootnote-(?:anchor|number)\b/.test(classes)) nameNote(element);
    else if (element.attribs["data-attrs"] !== undefined) {
      const shown = embedded(classes, known(element.attribs["data-attrs"]));
      if (shown !== "") replaceWithHtml(element, shown);
      else if (isEmpty(element)) lost(nameOf(classes));
    }
  }
}

function isEmpty(element: HtmlElement): boolean {
  const shown = findElements(element, "img", "iframe", "audio", "video", "a");
  const isFrame = /^https:/.test(element.attribs.src ?? "");
  return !isFrame && shown.length === 0 && DomUtils.textContent(element).trim() === "";
}

const NAMES: Record<string, string> = {
  "poll-embed": "polls",
  "native-video-embed": "videos uploaded to Substack: not in its export",
  "native-audio-embed": "audio uploaded to Substack: not in its export",
};

function nameOf(classes: string): string {
  const [first = "without a name"] = classes.split(/\s+/).filter(Boolean);
  return NAMES[first] ?? `Substack embeds: ${first.slice(0, 60)}`;
}

/** Renames "footnote-1" to "fn-1" and "footnote-anchor-1" to "fnref-1", because the sanitizer keeps these ids. */
function nameNote(link: HtmlElement): void {
  const renamed = (text = "") => text.replace("footnote-anchor-", "fnref-").replace("footnote-", "fn-");
  link.attribs.id = renamed(link.attribs.id);
  link.attribs.href = renamed(link.attribs.href);
}

interface KnownOfEmbed {
  texts: Record<string, string>;
  gallery: { images: string[]; caption: string };
}

function known(json: string): KnownOfEmbed {
  const read = objectIn(json);
  const texts = Object.entries(read).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const { images, caption } = (read.gallery ?? {}) as Record<string, unknown>;
  const all = Array.isArray(images) ? images.map((image) => image?.src) : [];
  return {
    texts: Object.fromEntries(texts),
    gallery: {
      images: all.filter((address) => typeof address === "string"),
      caption: typeof caption === "string" ? caption : "",
    },
  };
}

function objectIn(json: string): Record<string, unknown> {
  try {
    return (JSON.parse(json) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function embedded(classes: string, { texts, gallery }: KnownOfEmbed): string {
  const { url, canonical_url, title, full_text, name, videoId, instagram_id, persistentExpression } = texts;
  const address = url ?? canonical_url ?? "";
  if (/\bimage-gallery-embed\b/.test(classes)) return pictures(gallery);
  if (/\blatex-rendered\b/.test(classes) && persistentExpression)
    return html`<pre><code class="language-latex">${persistentExpression}</code></pre>`.markup;
  if (/\binstagram\b/.test(classes) && /^[\w-]{1,60}$/.test(instagram_id ?? ""))
    return html`<p><a href="https://www.instagram.com/p/${instagram_id ?? ""}/">${title || "Instagram"}</a></p>`
      .markup;
  if (/\byoutube-wrap\b/.test(classes) && videoId) return videoPlayerOrLink(`https://youtu.be/${videoId}`);
  if (/\bvimeo-wrap\b/.test(classes)) return videoPlayerOrLink(`https://vimeo.com/${videoId ?? ""}`);
  if (!/^https?:/.test(address)) return "";
  if (/\btweet\b/.test(classes))
    return html`<blockquote><p>${full_text ?? ""}</p><p><a href="${address}">${name || address}</a></p></blockquote>`
      .markup;
  return LINKED.test(classes) ? html`<p><a href="${address}">${title || name || address}</a></p>`.markup : "";
}

const LINKED =
  /\b(?:digest-post-embed|embedded-post-wrap|embedded-publication-wrap|spotify-wrap|apple-podcast-container|soundcloud-wrap|bandcamp-wrap|tiktok-wrap|datawrapper-wrap|prediction-market-wrap)\b/;

function pictures({ images, caption }: KnownOfEmbed["gallery"]): string {
  const figures = images.map((address) => html`<figure><img src="${address}" alt=""></figure>`.markup);
  return `${figures.join("\n")}${caption && html`\n<p>${caption}</p>`.markup}`;
}
