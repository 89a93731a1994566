import { DomUtils } from "htmlparser2";
import { percentDecoded } from "../../../text/clean-text";
import { html, raw } from "../../../text/html";
import { parseJsonObject } from "../../../text/json";
import { type Fields, isYes, parseDate, textField } from "../items/dates-and-fields";
import {
  findElements,
  type HtmlDocument,
  type HtmlElement,
  htmlToText,
  linkParagraph,
  parseHtml,
  playerHtml,
  replaceWithHtml,
  serializeHtml,
  tidyHtml,
  trimmedText,
  videoPlayerOrLink,
} from "../items/html-content";
import type { ImportedItem, ImportFormat, ReadOptions } from "../items/imported-item";
import { createItem, entryOrError } from "../items/imported-item";
import { readCsv, readText } from "../sources/source-files";

/** Substack's export: `posts.csv` and HTML files. Skips its subscriber lists. */
export const substack: ImportFormat = {
  name: "substack",
  find: ({ has, paths }) =>
    has("posts.csv") ? paths.filter((path) => /^posts\/\d+\.[^/]*\.html$/.test(path)) : [],
  async *read(source, paths, options) {
    const unlisted = new Set(paths);
    for (const row of await readCsv(source, "posts.csv")) {
      const path = `posts/${row.post_id}.html`;
      unlisted.delete(path);
      yield await entryOrError(path, async () => {
        const text = source.has(path) ? await readText(source, path) : null;
        return { item: itemOf(row, text, options) };
      });
    }
    for (const path of unlisted) yield { error: { name: path, reason: "not listed in posts.csv; skipped." } };
  },
};

function itemOf(row: Record<string, string>, text: string | null, { zone, site }: ReadOptions): ImportedItem {
  const { post_id: id = "", title = "", subtitle = "", audience = "", type = "" } = row;
  const slug = id.slice(id.indexOf(".") + 1);
  const lost: string[] = [];
  const isDraft = !isYes(row.is_published);
  const isRestricted = !isDraft && /^(?:only_paid|founding|only_free)$/.test(audience);
  const readers = audience === "only_free" ? "subscribers" : "paying readers";
  if (isRestricted) lost.push(`access for ${readers} only: these posts are archived`);
  if (type === "podcast" || row.podcast_url) lost.push("podcast audio, which stays at its URL");
  if (text === null) lost.push("post content: the export contains only the titles");
  return createItem({
    key: id,
    name: htmlToText(title) || id,
    type: type === "page" ? "page" : "post",
    ...{ title: htmlToText(title), slug, lost },
    content: contentOf(text ?? "", htmlToText(subtitle), row.podcast_url ?? "", lost),
    contentType: "html",
    status: isDraft ? "draft" : isRestricted ? "archived" : "published",
    at: parseDate(row.post_date, zone),
    previousUrls: isDraft ? [] : [`/p/${slug}`],
    base: site ?? "https://substack.com/",
  });
}

function contentOf(text: string, subtitle: string, podcast: string, lost: string[]): string {
  const document = parseHtml(text);
  for (const button of DomUtils.getElementsByClassName(isUseless, document)) DomUtils.removeElement(button);
  replaceSubstackEmbeds(document, lost);
  for (const image of findElements(document, "img")) image.attribs.src = originalOf(image.attribs.src ?? "");
  for (const link of findElements(document, "a")) link.attribs.href = originalOf(link.attribs.href ?? "");
  for (const widget of findElements(document, "source")) DomUtils.removeElement(widget);
  const lead = subtitle && `${html`<p><em>${subtitle}</em></p>`.markup}\n`;
  const player = podcast && `${playerHtml("audio", podcast)}\n`;
  return lead + player + tidyHtml(document);
}

const USELESS =
  /subscription-widget|button-wrapper|paywall-jump|image-link-expand|captioned-button|hide-text/;
const isUseless = (classes: string) => USELESS.test(classes);

function originalOf(address: string): string {
  const at = address.startsWith("https://substackcdn.com/image/fetch/") ? address.search(/https?%3A/i) : -1;
  if (at < 0) return address;
  const original = percentDecoded(address.slice(at)) ?? address;
  return original.replace(
    /^https:\/\/bucketeer-[\w-]{1,80}\.s3\.amazonaws\.com\//,
    "https://substack-post-media.s3.amazonaws.com/",
  );
}

/** The embeds need scripts, so HTML made from their data attributes replaces them. */
function replaceSubstackEmbeds(document: HtmlDocument, lost: string[]): void {
  for (const element of findElements(document, "div", "iframe", "a")) {
    const classes = element.attribs.class ?? "";
    if (classes === "pullquote")
      replaceWithHtml(element, `<blockquote>${serializeHtml(element.children)}</blockquote>`);
    else if (/\bfootnote-(?:anchor|number)\b/.test(classes)) renameFootnote(element);
    else if (element.attribs["data-attrs"] !== undefined) {
      const shown = embedHtml(classes, parseJsonObject(element.attribs["data-attrs"]) ?? {});
      if (shown !== "") replaceWithHtml(element, shown);
      else if (isEmpty(element)) lost.push(embedName(classes));
    }
  }
}

function isEmpty(element: HtmlElement): boolean {
  const shown = findElements(element, "img", "iframe", "audio", "video", "a");
  return shown.length === 0 && !element.attribs.src?.startsWith("https:") && trimmedText(element) === "";
}

const NAMES: Record<string, string> = {
  "poll-embed": "polls",
  "native-video-embed": "videos uploaded to Substack: not in its export",
  "native-audio-embed": "audio uploaded to Substack: not in its export",
};

function embedName(classes: string): string {
  const [first = "without a name"] = classes.split(/\s+/).filter(Boolean);
  return NAMES[first] ?? `Substack embeds: ${first.slice(0, 60)}`;
}

/** The sanitizer keeps only ids that begin with "fn". */
function renameFootnote(link: HtmlElement): void {
  const renamed = (text = "") => text.replace("footnote-anchor-", "fnref-").replace("footnote-", "fn-");
  link.attribs.id = renamed(link.attribs.id);
  link.attribs.href = renamed(link.attribs.href);
}

function embedHtml(classes: string, data: Fields): string {
  const field = (...names: string[]) => textField(data, ...names);
  const formula = field("persistentExpression");
  const videoId = field("videoId");
  const instagramId = field("instagram_id");
  if (/\bimage-gallery-embed\b/.test(classes)) return pictures(data.gallery);
  if (/\blatex-rendered\b/.test(classes) && formula)
    return html`<pre><code class="language-latex">${formula}</code></pre>`.markup;
  if (/\binstagram\b/.test(classes) && /^[\w-]{1,60}$/.test(instagramId))
    return linkParagraph(`https://www.instagram.com/p/${instagramId}/`, field("title") || "Instagram");
  if (/\byoutube-wrap\b/.test(classes) && videoId) return videoPlayerOrLink(`https://youtu.be/${videoId}`);
  if (/\bvimeo-wrap\b/.test(classes)) return videoPlayerOrLink(`https://vimeo.com/${videoId}`);
  const address = field("url", "canonical_url");
  if (!/^https?:/.test(address)) return "";
  if (/\btweet\b/.test(classes)) {
    const author = raw(linkParagraph(address, field("name")));
    return html`<blockquote><p>${field("full_text")}</p>${author}</blockquote>`.markup;
  }
  return LINKED.test(classes) ? linkParagraph(address, field("title", "name")) : "";
}

const LINKED =
  /\b(?:digest-post-embed|embedded-post-wrap|embedded-publication-wrap|spotify-wrap|apple-podcast-container|soundcloud-wrap|bandcamp-wrap|tiktok-wrap|datawrapper-wrap|prediction-market-wrap)\b/;

function pictures(gallery: unknown): string {
  const { images, caption } = (gallery ?? {}) as Fields;
  const sources = (Array.isArray(images) ? images : []).map((image) => textField(image ?? {}, "src"));
  const figures = sources.map((src) => html`<figure><img src="${src}" alt=""></figure>`.markup);
  const below = typeof caption === "string" && caption !== "" ? [html`<p>${caption}</p>`.markup] : [];
  return [...figures, ...below].join("\n");
}
