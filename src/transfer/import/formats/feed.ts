import { DomUtils } from "htmlparser2";
import { hashSecret } from "../../../secrets";
import { html } from "../../../text/html";
import { isObject } from "../../../text/json";
import { type Fields, parseDate, textField, textListField } from "../items/dates-and-fields";
import { htmlToText, parseHtml, playerHtml, serializeHtml, tidyHtml } from "../items/html-content";
import type { ImportEntry, ImportedItem, ImportFormat } from "../items/imported-item";
import { createItem, entryOrError, entryPerElement } from "../items/imported-item";
import { detectStaticSite } from "../markdown/static-sites-and-permalinks";
import { findFiles, readBeginning, readJson, type Source, SourceError } from "../sources/source-files";
import { baseUrl, childElements, childText, type XmlElement } from "../sources/xml-reader";

/** In a static site, files with feeds are only templates or generated output. */
export const feed: ImportFormat = {
  name: "feed",
  async find(source) {
    const isSite = (await detectStaticSite(source, "UTC")).maker !== "none";
    return isSite ? [] : await findFiles(source, /^(?:xml|rss|atom|json|rdf|feed|)$/, isFeed);
  },
  async *read(source, paths, { zone }) {
    for (const path of paths)
      if (JSON_FEED.test(await readBeginning(source, path))) yield* jsonItems(source, path);
      else
        yield* entryPerElement(source, path, ["item", "entry"], (element) => ({
          item: element.name === "item" ? rssItem(element, zone) : atomItem(element, zone),
        }));
  },
};

/** Micro.blog's export: a ZIP with `feed.json`, `index.html` and the media at their paths on the site. */
export const bar: ImportFormat = {
  name: "bar",
  find: ({ has }) => (has("feed.json") && has("index.html") ? ["feed.json"] : []),
  read: (source) => jsonItems(source, "feed.json", true),
};

const XML_FEED = /<rss[\s>]|<feed[\s>]|<rdf:RDF[\s>]/;
const JSON_FEED = /jsonfeed\.org\/version/;

function isFeed(beginning: string): boolean {
  const head = beginning.split(/<(?:item|entry)[\s>]/, 1)[0] as string;
  const isTemplate = beginning.startsWith("---") || /\{\{|\{%/.test(head);
  return !isTemplate && (XML_FEED.test(beginning) || JSON_FEED.test(beginning));
}

function rssItem(item: XmlElement, zone: string): ImportedItem {
  const address = childText(item, "link").trim();
  const at = parseDate(childText(item, "pubDate") || childText(item, "dc:date"), zone);
  const fullContent = childText(item, "content:encoded");
  return htmlItem({
    key: childText(item, "guid").trim() || address,
    title: childText(item, "title").trim(),
    ...{ address, at, updatedAt: null, base: baseUrl(item) },
    content: fullContent || childText(item, "description"),
    isExcerpt: fullContent === "",
    files: childElements(item, "enclosure").map(({ attribs: { url, type } }) => fileOf(url, type)),
    tags: childElements(item, "category").map((one) => DomUtils.textContent(one).trim()),
  });
}

function atomItem(entry: XmlElement, zone: string): ImportedItem {
  const links = childElements(entry, "link").map((link) => {
    const { href = "", rel, type } = link.attribs;
    return { href: URL.parse(href, baseUrl(link) || undefined)?.href ?? href, rel, type };
  });
  const address = links.find(({ rel = "alternate" }) => rel === "alternate")?.href ?? "";
  const [content] = [...childElements(entry, "content"), ...childElements(entry, "summary")];
  const isPlain = /^(?:text|text\/plain)?$/.test(content?.attribs.type ?? "");
  const title = childElements(entry, "title")[0];
  const updatedAt = parseDate(childText(entry, "updated"), zone);
  return htmlItem({
    key: childText(entry, "id").trim() || address,
    title: title?.attribs.type?.includes("html") ? htmlToText(markup(title)) : markup(title).trim(),
    ...{ address, updatedAt, at: parseDate(childText(entry, "published"), zone) ?? updatedAt },
    base: content ? baseUrl(content) : "",
    content: isPlain ? html`<p>${markup(content)}</p>`.markup : markup(content),
    isExcerpt: content?.name !== "content",
    files: links.filter(({ rel }) => rel === "enclosure").map(({ href, type }) => fileOf(href, type)),
    tags: childElements(entry, "category").map(({ attribs }) => attribs.label ?? attribs.term ?? ""),
  });
}

/** The content of an Atom text construct: text, escaped HTML, or XHTML, whose elements may have a prefix. */
function markup(element: XmlElement | undefined): string {
  if (element?.attribs.type !== "xhtml") return element ? DomUtils.textContent(element) : "";
  for (const one of DomUtils.findAll(() => true, element.children))
    one.name = one.name.slice(one.name.indexOf(":") + 1);
  return serializeHtml(element.children);
}

async function* jsonItems(source: Source, path: string, isArchive = false): AsyncGenerator<ImportEntry> {
  const read = await readJson(source, path);
  if (!isObject(read) || !Array.isArray(read.items)) throw new SourceError(`${path} is not a JSON feed.`);
  const entryOf = (item: Fields) => ({ item: jsonItem(item, isArchive) });
  for (const item of read.items.filter(isObject))
    yield await entryOrError(textField(item, "title", "id") || path, () => entryOf(item));
}

/** In Micro.blog archives, the Markdown in `content_text` takes precedence over the HTML. */
function jsonItem(item: Fields, isArchive: boolean): ImportedItem {
  const [plain = "", markup = "", summary = ""] = [item.content_text, item.content_html, item.summary].map(
    (text) => (typeof text === "string" && text.trim() ? text : ""),
  );
  const isMarkdown = isArchive && plain !== "";
  const address = textField(item, "url");
  const words = plain || summary;
  const imported = htmlItem({
    key: textField(item, "id") || address,
    title: textField(item, "title"),
    ...{ address, base: "" },
    at: parseDate(item.date_published),
    updatedAt: parseDate(item.date_modified),
    tags: textListField(item, ["tags"]),
    content: isMarkdown ? plain : markup || (words && html`<p>${words}</p>`.markup),
    isExcerpt: plain === "" && markup === "",
    files: isMarkdown ? [] : filesOf(item),
  });
  if (isMarkdown) return { ...imported, summary, content: plain, contentType: "markdown" };
  return isArchive && markup ? { ...imported, summary } : imported;
}

function filesOf(item: Fields): FeedFile[] {
  const attached = Array.isArray(item.attachments) ? item.attachments.filter(isObject) : [];
  const files = attached.map((one) => fileOf(textField(one, "url"), textField(one, "mime_type")));
  return [...files, fileOf(textField(item, "image", "banner_image"), "image")];
}

interface FeedFile {
  address: string;
  kind: "audio" | "video" | "image" | "other";
}

function fileOf(address = "", type = ""): FeedFile {
  const [, kind = "other"] = /^(audio|video|image)(?:\/|$)/.exec(type) ?? [];
  return { address: address.trim(), kind: kind as FeedFile["kind"] };
}

/** If `base` is "", links in the content are relative to the item's own URL. */
interface FeedItem extends Pick<ImportedItem, "key" | "title" | "updatedAt" | "content" | "base" | "tags"> {
  address: string;
  at: Date | null;
  isExcerpt: boolean;
  files: FeedFile[];
}

function playersOf(files: FeedFile[], content: string): string {
  const written = content.replaceAll("&amp;", "&");
  const missing = files.filter(({ address }) => !written.includes(address));
  const players = (["audio", "video"] as const).flatMap((kind) =>
    missing.filter((file) => file.kind === kind).map(({ address }) => `\n${playerHtml(kind, address)}`),
  );
  return [...new Set(players)].join("");
}

function htmlItem({ address, content, base, isExcerpt, tags, files, ...known }: FeedItem): ImportedItem {
  const atAddresses = files.filter((file) => /^https?:/.test(file.address));
  // If the text has images, an image enclosure is usually a duplicate or a portrait of the author.
  const image = content.includes("<img") ? undefined : atAddresses.find(({ kind }) => kind === "image");
  const others = atAddresses.filter(({ kind }) => kind === "other");
  const { key, title, at } = known;
  return createItem({
    ...known,
    key: key || hashSecret(`${title} ${at?.getTime() ?? ""} ${content}`),
    name: title || address || key || "Untitled item",
    content: tidyHtml(parseHtml(content)) + playersOf(atAddresses, content),
    contentType: "html",
    featured: image ? { address: image.address, alt: null, caption: "" } : null,
    previousUrls: address === "" ? [] : [address],
    tags: tags.filter(Boolean),
    base: base || address || "https://unknown.invalid/",
    lost: [
      ...(isExcerpt ? ["the full text: the feed holds a summary or an excerpt"] : []),
      ...others.map(() => "attached files that are not images, audio or video"),
    ],
  });
}
