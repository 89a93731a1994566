import { DomUtils } from "htmlparser2";
import { hashSecret } from "../../../secrets";
import { html } from "../../../text/html";
import { isObject } from "../../../text/json";
import { htmlToText, parseHtml, serializeHtml, tidyHtml } from "../content/html-content";
import { parseDate } from "../items/dates";
import { createItem, entryOrError, type ImportEntry, type ImportedItem } from "../items/imported-item";
import { type FrontMatter, textField, textListField } from "../markdown/front-matter";
import { detectStaticSite } from "../markdown/static-site";
import { findFiles, readBeginning, readJson, type Source, SourceError } from "../sources/source";
import {
  baseUrl,
  childElements,
  childText,
  readXmlElements,
  type XmlElement,
  XmlError,
} from "../sources/xml-reader";
import type { ImportFormat, ReadOptions } from "./format";

/** In a static site, files with feeds are only templates or generated output. */
export const feed: ImportFormat = {
  name: "feed",
  async find(source) {
    const isSite = (await detectStaticSite(source, "UTC")).maker !== "none";
    return isSite ? [] : await findFiles(source, /^(?:xml|rss|atom|json|rdf|feed|)$/, isFeed);
  },
  async *read(source, paths, options) {
    for (const path of paths)
      if (JSON_FEED.test(await readBeginning(source, path))) yield* jsonItems(source, path);
      else yield* xmlItems(source, path, options);
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

async function* xmlItems(source: Source, path: string, { zone }: ReadOptions): AsyncGenerator<ImportEntry> {
  try {
    for await (const element of readXmlElements(source.bytes(path), ["item", "entry"]))
      yield await entryOrError(childText(element, "title").trim() || path, () => ({
        item: element.name === "item" ? rssItem(element, zone) : atomItem(element, zone),
      }));
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    yield { error: { name: path, reason: error.message } };
  }
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
  for (const item of read.items.filter(isObject))
    yield await entryOrError(textField(item, "title", "id") || path, () => ({
      item: jsonItem(item, isArchive),
    }));
}

/** In Micro.blog archives, the Markdown in `content_text` takes precedence over the HTML. */
function jsonItem(item: FrontMatter, isArchive = false): ImportedItem {
  const [plain = "", summary = ""] = [item.content_text, item.summary].map((one) =>
    typeof one === "string" && one.trim() ? one : "",
  );
  const markup = typeof item.content_html === "string" ? item.content_html : "";
  const address = textField(item, "url");
  const fields = {
    key: textField(item, "id") || address,
    title: textField(item, "title"),
    address,
    at: parseDate(item.date_published, "UTC"),
    updatedAt: parseDate(item.date_modified, "UTC"),
    tags: textListField(item, ["tags"]),
    base: "",
    isExcerpt: plain === "" && markup === "",
    files: filesOf(item),
  };
  if (isArchive && plain !== "") {
    const key = fields.key || keyOf({ ...fields, content: plain });
    return {
      ...htmlItem({ ...fields, key, content: "", files: [] }),
      summary,
      content: plain,
      contentType: "markdown",
    };
  }
  const words = plain || summary;
  const imported = htmlItem({ ...fields, content: markup || (words && html`<p>${words}</p>`.markup) });
  return isArchive && markup ? { ...imported, summary } : imported;
}

function filesOf(item: FrontMatter): FeedFile[] {
  const attached = Array.isArray(item.attachments) ? item.attachments.filter(isObject) : [];
  const image = textField(item, "image", "banner_image");
  return [
    ...attached.map((one) => fileOf(textField(one, "url"), textField(one, "mime_type"))),
    fileOf(image, "image"),
  ];
}

interface FeedFile {
  address: string;
  kind: "audio" | "video" | "image" | "other";
}

function fileOf(address = "", type = ""): FeedFile {
  const [, kind = "other"] = /^(audio|video|image)(?:\/|$)/.exec(type) ?? [];
  return { address: address.trim(), kind: kind as FeedFile["kind"] };
}

interface FeedItem {
  key: string;
  title: string;
  address: string;
  at: Date | null;
  updatedAt: Date | null;
  content: string;
  /** Base URL of links in the content; "" for the item's own URL. */
  base: string;
  isExcerpt: boolean;
  tags: string[];
  files: FeedFile[];
}

function keyOf({ title, at, content }: Pick<FeedItem, "title" | "at" | "content">): string {
  return hashSecret(`${title} ${at?.getTime() ?? ""} ${content}`);
}

function playersOf(files: FeedFile[], content: string): string {
  const written = content.replaceAll("&amp;", "&");
  const addresses = (kind: string) =>
    new Set(
      files
        .filter((file) => file.kind === kind && !written.includes(file.address))
        .map(({ address }) => address),
    );
  return [
    ...[...addresses("audio")].map((address) => html`\n<audio src="${address}" controls></audio>`.markup),
    ...[...addresses("video")].map((address) => html`\n<video src="${address}" controls></video>`.markup),
  ].join("");
}

function htmlItem({ address, at, content, base, isExcerpt, tags, files, ...known }: FeedItem): ImportedItem {
  const atAddresses = files.filter((file) => /^https?:/.test(file.address));
  // If the text has images, an image enclosure is usually a duplicate or a portrait of the author.
  const image = content.includes("<img") ? undefined : atAddresses.find(({ kind }) => kind === "image");
  const others = atAddresses.filter(({ kind }) => kind === "other");
  return createItem({
    ...known,
    key: known.key || keyOf({ ...known, at, content }),
    name: known.title || address || known.key || "Untitled item",
    content: tidyHtml(parseHtml(content)) + playersOf(atAddresses, content),
    contentType: "html",
    featured: image ? { address: image.address, alt: null, caption: "" } : null,
    publishedAt: at,
    createdAt: at,
    previousUrls: address === "" ? [] : [address],
    tags: tags.filter(Boolean),
    base: base || address || "https://unknown.invalid/",
    lost: [
      ...(isExcerpt ? ["the full text: the feed holds a summary or an excerpt"] : []),
      ...others.map(() => "attached files that are not images, audio or video"),
    ],
  });
}
