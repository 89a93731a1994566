import { hashSecret } from "../../../secrets";
import { html } from "../../../text/html";
import { documentOf, tidyHtml } from "../content/html-content";
import { timeIn } from "../items/dates";
import { type Found, type ImportedItem, orFault, plainItem, unreadable } from "../items/imported-item";
import { type FrontMatter, isObject, textNamed, textsNamed } from "../markdown/front-matter";
import { siteFolder } from "../markdown/static-site";
import { JsonFault, jsonObjects } from "../sources/json-reader";
import { beginningOf, endingOf, type Source } from "../sources/source";
import { childrenOf, textOf, type XmlElement, XmlFault, xmlElements } from "../sources/xml-reader";
import type { Format, Reading } from "./format";

/** An RSS, Atom or JSON feed: what any site has, and no more than it holds. */
export const feed: Format = {
  name: "feed",
  brings: "an RSS, Atom or JSON feed, in a file",
  recognises: async (source) => !(await isSite(source)) && (await feedsIn(source)).length > 0,
  texts: feedsIn,
  read,
};

const XML_FEED = /<rss[\s>]|<feed[\s>]|<rdf:RDF[\s>]/;
const JSON_FEED = /jsonfeed\.org\/version/;

async function* read(source: Source, reading: Reading): AsyncGenerator<Found> {
  for (const path of await feedsIn(source))
    if (JSON_FEED.test(await beginningOf(source, path))) yield* jsonItems(source, path);
    else yield* xmlItems(source, path, reading);
}

async function feedsIn(source: Source): Promise<string[]> {
  const found: string[] = [];
  for (const path of source.paths)
    if (/^(?:xml|rss|atom|json|rdf|feed|)$/.test(endingOf(path)) && isFeed(await beginningOf(source, path)))
      found.push(path);
  return found;
}

/** A feed in there is a template, or made of the texts. */
async function isSite(source: Source): Promise<boolean> {
  return (await siteFolder(source, "UTC")).maker !== "none";
}

function isFeed(beginning: string): boolean {
  const head = beginning.split(/<(?:item|entry)[\s>]/, 1)[0] as string;
  const isTemplate = beginning.startsWith("---") || /\{\{|\{%/.test(head);
  return !isTemplate && (XML_FEED.test(beginning) || JSON_FEED.test(beginning));
}

async function* xmlItems(source: Source, path: string, { zone }: Reading): AsyncGenerator<Found> {
  try {
    for await (const element of xmlElements(source.bytes(path), ["item", "entry"])) {
      const name = textOf(element, "title").trim() || path;
      if (element.tooMuch) yield { fault: { name, why: element.tooMuch } };
      else
        yield await orFault(name, () => ({
          item: element.name === "item" ? rssItem(element, zone) : atomItem(element, zone),
        }));
    }
  } catch (fault) {
    if (!(fault instanceof XmlFault)) throw fault;
    yield { fault: { name: path, why: fault.message } };
  }
}

function rssItem(item: XmlElement, zone: string): ImportedItem {
  const address = textOf(item, "link").trim();
  const at = timeIn(textOf(item, "pubDate") || textOf(item, "dc:date"), zone);
  const whole = textOf(item, "content:encoded");
  return htmlItem({
    key: textOf(item, "guid").trim() || address,
    title: textOf(item, "title").trim(),
    ...{ address, at, updatedAt: null, base: item.base },
    content: whole || textOf(item, "description"),
    isPart: whole === "",
    files: [
      ...childrenOf(item, "enclosure").map(({ attributes }) => fileOf(attributes.url, attributes.type)),
      ...mediaIn(item),
    ],
    tags: childrenOf(item, "category").map(({ text }) => text.trim()),
  });
}

function atomItem(entry: XmlElement, zone: string): ImportedItem {
  const links = childrenOf(entry, "link").map(({ attributes: { href = "", rel, type }, base }) => {
    return { href: URL.parse(href, base || undefined)?.href ?? href, rel, type };
  });
  const address = links.find(({ rel = "alternate" }) => rel === "alternate")?.href ?? "";
  const [content] = [...childrenOf(entry, "content"), ...childrenOf(entry, "summary")];
  const isPlain = /^(?:text|text\/plain)?$/.test(content?.attributes.type ?? "");
  const title = childrenOf(entry, "title")[0];
  const updatedAt = timeIn(textOf(entry, "updated"), zone);
  return htmlItem({
    key: textOf(entry, "id").trim() || address,
    title: title?.attributes.type?.includes("html") ? textIn_(title.text) : (title?.text ?? "").trim(),
    ...{ address, updatedAt, at: timeIn(textOf(entry, "published"), zone) ?? updatedAt },
    base: content?.base ?? "",
    content: isPlain ? html`<p>${content?.text ?? ""}</p>`.markup : (content?.text ?? ""),
    isPart: content?.name !== "content",
    files: [
      ...links.filter(({ rel }) => rel === "enclosure").map(({ href, type }) => fileOf(href, type)),
      ...mediaIn(entry),
    ],
    tags: childrenOf(entry, "category").map(({ attributes }) => attributes.label ?? attributes.term ?? ""),
  });
}

/** By Media RSS, which WordPress's, Flickr's and YouTube's feeds have. */
function mediaIn(item: XmlElement): FeedFile[] {
  const all = [item, ...childrenOf(item, "media:group")];
  const named = (name: string) =>
    all.flatMap((one) => childrenOf(one, name)).map(({ attributes }) => attributes);
  return [
    ...named("media:content").map(({ url, type, medium }) => fileOf(url, type ?? medium)),
    ...named("media:thumbnail").map(({ url }) => fileOf(url, "image")),
  ];
}

/** The words of a piece of HTML. */
function textIn_(markup: string): string {
  return tidyHtml(documentOf(markup))
    .replace(/<[^<>]{0,1000}>/g, "")
    .replaceAll("&amp;", "&")
    .trim();
}

/** @param isArchive see jsonItem */
export async function* jsonItems(source: Source, path: string, isArchive = false): AsyncGenerator<Found> {
  let isFeed = false;
  try {
    for await (const found of jsonObjects(source.bytes(path), (array) => array === "items")) {
      isFeed = true;
      if ("begins" in found) continue;
      const { row } = found;
      if (!row) yield { fault: unreadable(found, path, "an item in it") };
      else yield await orFault(textNamed(row, "title", "id"), () => ({ item: jsonItem(row, isArchive) }));
    }
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    if (isFeed) yield { fault: { name: path, why: fault.message } };
  }
  if (!isFeed) yield { fault: { name: path, why: "it is no JSON feed." } };
}

/**
 * @param isArchive whether `content_text` is Markdown, as Micro.blog has it, and goes before the HTML; a summary is the
 * author's there, while other feeds often fill it with the beginning of the text
 */
function jsonItem(item: FrontMatter, isArchive = false): ImportedItem {
  const [plain = "", summary = ""] = [item.content_text, item.summary].map((one) =>
    typeof one === "string" && one.trim() ? one : "",
  );
  const markup = typeof item.content_html === "string" ? item.content_html : "";
  const address = textNamed(item, "url");
  const known = {
    key: textNamed(item, "id") || address,
    title: textNamed(item, "title"),
    address,
    at: timeIn(item.date_published, "UTC"),
    updatedAt: timeIn(item.date_modified, "UTC"),
    tags: textsNamed(item, ["tags"]),
    base: "",
    isPart: plain === "" && markup === "",
    files: filesOf(item),
  };
  if (isArchive && plain !== "") {
    const key = known.key || keyOf({ ...known, content: plain });
    return {
      ...htmlItem({ ...known, key, content: "", files: [] }),
      summary,
      content: plain,
      contentType: "markdown",
    };
  }
  const words = plain || summary;
  const brought = htmlItem({ ...known, content: markup || (words && html`<p>${words}</p>`.markup) });
  return isArchive && markup ? { ...brought, summary } : brought;
}

function filesOf(item: FrontMatter): FeedFile[] {
  const attached = Array.isArray(item.attachments) ? item.attachments.filter(isObject) : [];
  const image = textNamed(item, "image", "banner_image");
  return [
    ...attached.map((one) => fileOf(textNamed(one, "url"), textNamed(one, "mime_type"))),
    fileOf(image, "image"),
  ];
}

/** What goes with a text and does not stand in it: an episode, a picture. */
interface FeedFile {
  address: string;
  kind: "audio" | "video" | "image" | "other";
}

function fileOf(address = "", type = ""): FeedFile {
  const [, kind = "other"] = /^(audio|video|image)(?:\/|$)/.exec(type) ?? [];
  return { address: address.trim(), kind: kind as FeedFile["kind"] };
}

interface KnownOfFeed {
  key: string;
  title: string;
  address: string;
  at: Date | null;
  updatedAt: Date | null;
  content: string;
  /** What addresses in it are relative to; "": to the item's own. */
  base: string;
  /** A feed may hold no more than the beginning. */
  isPart: boolean;
  tags: string[];
  files: FeedFile[];
}

/** Of one that has neither a name for programs nor an address. */
function keyOf({ title, at, content }: Pick<KnownOfFeed, "title" | "at" | "content">): string {
  return hashSecret(`${title} ${at?.getTime() ?? ""} ${content}`);
}

/** What is played, below the text that does not have it. */
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

function htmlItem({ address, at, content, base, isPart, tags, files, ...known }: KnownOfFeed): ImportedItem {
  const atAddresses = files.filter((file) => /^https?:/.test(file.address));
  // A text with pictures has it among them, or shows whoever wrote it.
  const image = content.includes("<img") ? undefined : atAddresses.find(({ kind }) => kind === "image");
  const others = atAddresses.filter(({ kind }) => kind === "other");
  return plainItem({
    ...known,
    key: known.key || keyOf({ ...known, at, content }),
    name: known.title || address || known.key || "An item without a name",
    content: tidyHtml(documentOf(content)) + playersOf(atAddresses, content),
    contentType: "html",
    featured: image ? { address: image.address, alt: null, caption: "" } : null,
    publishedAt: at,
    createdAt: at,
    formerAddresses: address === "" ? [] : [address],
    tags: tags.filter(Boolean),
    base: base || address || "https://unknown.invalid/",
    lost: [
      ...(isPart ? ["what the feed leaves off: it holds the beginning of a text only, or a summary"] : []),
      ...others.map(() => "files that go with a text and are neither picture, sound nor film"),
    ],
  });
}
