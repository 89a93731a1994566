import { DomUtils } from "htmlparser2";
import { instantOf } from "../../../blogs/time-zone";
import type { ImportedKomment } from "../../../komments/writing-and-importing-komments";
import { parseJson } from "../../../text/json";
import { htmlToText } from "../items/html-content";
import type { ImportEntry, ImportedItem, ImportFormat } from "../items/imported-item";
import { createItem, decodePath, entryPerElement } from "../items/imported-item";
import { findFiles, type Source, SourceError } from "../sources/source-files";
import type { XmlElement } from "../sources/xml-reader";
import { childElements, childText, readXmlElements, XmlError, XmlTruncated } from "../sources/xml-reader";
import { convertWordpressContent } from "../wordpress/wordpress-content";
import {
  imageOfFile,
  metaValue,
  metaValues,
  NOT_IN_EXPORT,
  uploadKey,
  WordpressFiles,
} from "../wordpress/wordpress-files";

/** WordPress's export (Tools → Export): WXR 1.0 to 1.2 in one or several files. */
export const wordpress: ImportFormat = {
  name: "wordpress",
  find: (source) => findFiles(source, /^(?:xml|wxr|rss)$/, isExport, 16_384),
  /** Reads the files twice, because uploads may come after their post or in another file. */
  async *read(source, paths, { zone, isPartial }) {
    const files = new WordpressFiles();
    const site = { address: "", zone, authors: new Set<string>(), firstIdByGuid: new Map(), files };
    for (const path of paths) await indexFile(source, path, site, isPartial);
    const usedFiles = new Set<string>();
    const entryOf = (item: XmlElement) => readWordpressItem(item, site);
    for (const path of paths)
      for await (const entry of entryPerElement(source, path, ["item"], entryOf)) {
        if ("item" in entry) for (const file of filesUsedBy(entry.item)) usedFiles.add(file);
        yield entry;
      }
    for (let count = files.countUnused(usedFiles); count > 0; count--)
      yield { skipped: "uploads that no post or page uses" };
  },
};

function isExport(beginning: string): boolean {
  return beginning.includes("<rss") && /wordpress\.org\/export\/|<wp:wxr_version>/.test(beginning);
}

function* filesUsedBy({ content, featured }: ImportedItem): Generator<string> {
  if (featured) yield uploadKey(featured.address);
  for (const [, address = ""] of content.matchAll(/\s(?:src|href|poster)="([^"]{1,2000})"/g))
    yield uploadKey(address.replaceAll("&amp;", "&"));
}

/** @throws SourceError if the file is truncated and `isPartial` is false */
async function indexFile(source: Source, path: string, site: WordpressSite, isPartial: boolean) {
  const names = ["item", "wp:author", "wp:base_blog_url"];
  try {
    for await (const element of readXmlElements(source.bytes(path), names))
      if (element.name === "wp:base_blog_url") site.address ||= DomUtils.textContent(element).trim();
      else if (element.name === "wp:author") site.authors.add(childText(element, "wp:author_id").trim());
      else site.files.add(element);
  } catch (error) {
    if (error instanceof XmlTruncated && !isPartial)
      throw new SourceError(
        `${path}: ${error.message} Export the site again. Or import the readable part, with --partial or the checkbox in the admin.`,
      );
    // The second pass reports an XmlError.
    if (!(error instanceof XmlError)) throw error;
  }
}

const STATUS: Record<string, ImportedItem["status"]> = {
  publish: "published",
  future: "published",
  draft: "draft",
  pending: "draft",
  private: "archived",
};

interface WordpressSite {
  address: string;
  zone: string;
  /** Ids of WordPress users whose comments count as the owner's. */
  authors: Set<string>;
  /** Guid → id of the first post with this guid. A duplicated post may have the guid of its original. */
  firstIdByGuid: Map<string, string>;
  files: WordpressFiles;
}

function readWordpressItem(item: XmlElement, site: WordpressSite): ImportEntry | null {
  const type = childText(item, "wp:post_type");
  const status = childText(item, "wp:status");
  if (/^(?:attachment|revision|wp_block)$/.test(type) || status === "auto-draft") return null;
  if (type !== "post" && type !== "page") return { skipped: `items of type ${type || "unknown"}` };
  if (status === "trash") return { skipped: "posts in the trash" };
  return { item: itemOf(item, { type, status: STATUS[status] ?? "draft" }, site) };
}

function itemOf(item: XmlElement, stated: Pick<ImportedItem, "type" | "status">, site: WordpressSite) {
  const { files } = site;
  const id = childText(item, "wp:post_id");
  const title = htmlToText(childText(item, "title"));
  const address = childText(item, "link").trim();
  const lost: string[] = [];
  const isLocked = childText(item, "wp:post_password") !== "";
  if (isLocked) lost.push("post passwords: these posts are archived");
  if (site.authors.size > 1) lost.push("author names: the site has several authors");
  const { category, tags } = topicsOf(item);
  const thumbnail = metaValue(item, "_thumbnail_id");
  const featured = files.byId.get(thumbnail);
  if (!featured && Number(thumbnail) > 0) lost.push(`featured images, ${NOT_IN_EXPORT}`);
  const { komments, others } = kommentsOf(item, site);
  lost.push(...Array.from({ length: others }, () => "pingbacks and rejected comments"));
  const status = isLocked && stated.status === "published" ? "archived" : stated.status;
  return createItem({
    key: keyOf(item, id, site),
    name: title || address || `post ${id}`,
    summary: htmlToText(childText(item, "excerpt:encoded")),
    pinned: childText(item, "wp:is_sticky").trim() === "1",
    ...{ type: stated.type, title, status, category, tags, lost, komments },
    content: convertWordpressContent(withFootnotes(item), { post: id, files, lost }),
    contentType: "html",
    at: timeOf(item, "wp:post_date", site.zone),
    updatedAt: timeOf(item, "wp:post_modified", site.zone),
    slug: decodePath(childText(item, "wp:post_name")) || null,
    previousUrls: [
      ...addressesOf(item, id, address, status),
      ...metaValues(item, "_wp_old_slug").flatMap((slug) => oldAddress(address, slug)),
    ],
    kommentsDisabled: childText(item, "wp:comment_status") === "closed",
    base: address || site.address,
    featured: featured ? imageOfFile(featured) : null,
    pictures: altTextsByUrl(item, id, files),
  });
}

function keyOf(item: XmlElement, id: string, { address, firstIdByGuid }: WordpressSite): string {
  const guid = childText(item, "guid").trim() || `${address} ${id}`;
  const first = firstIdByGuid.get(guid) ?? id;
  firstIdByGuid.set(guid, first);
  return first === id ? guid : `${guid} ${id}`;
}

/** WordPress stores footnotes outside the text. */
function withFootnotes(item: XmlElement): string {
  const text = childText(item, "content:encoded");
  const notes = [parseJson(metaValue(item, "footnotes"))].flat().filter(isFootnote);
  if (notes.length === 0) return text;
  const lines = notes.map(
    ({ id, content }) => `<li id="fn-${id}">${content} <a href="#fnref-${id}">↩︎</a></li>`,
  );
  return text
    .replace(
      /<sup data-fn="([\w-]{1,60})"[^<>]{0,200}><a [^<>]{0,300}>(\d{1,4})<\/a><\/sup>/g,
      '<sup><a id="fnref-$1" href="#fn-$1">$2</a></sup>',
    )
    .replace(/<!-- wp:footnotes[^<>]{0,200}\/-->/, () => `<ol>${lines.join("\n")}</ol>`);
}

function isFootnote(value: unknown): value is { id: string; content: string } {
  const { id, content } = (value ?? {}) as Record<string, unknown>;
  return typeof id === "string" && /^[\w-]{1,60}$/.test(id) && typeof content === "string";
}

function addressesOf(item: XmlElement, id: string, address: string, status: string): string[] {
  if (status === "draft") return [];
  const guid = childText(item, "guid").trim();
  const urls = [address, /^https?:/.test(guid) ? guid : ""].filter((url) => !/[?&](?:p|page_id)=/.test(url));
  return [...urls.filter(Boolean), `/?p=${id}`, `/?page_id=${id}`];
}

function topicsOf(item: XmlElement): { category: string | null; tags: string[] } {
  const named = (...domains: string[]) => {
    const all = childElements(item, "category").filter(
      ({ attribs: { domain = "", nicename } }) => domains.includes(domain) && nicename !== "uncategorized",
    );
    return [...new Set(all.map((one) => htmlToText(DomUtils.textContent(one))))].filter(Boolean);
  };
  const [category = null, ...others] = named("category");
  // WXR 1.0 uses "tag" and may repeat tags.
  return { category, tags: [...named("post_tag", "tag"), ...others] };
}

function oldAddress(address: string, slug: string): string[] {
  const url = URL.parse(address);
  if (url?.search !== "" || slug === "") return [];
  const path = url.pathname.replace(/\/$/, "");
  return [url.origin + path.slice(0, path.lastIndexOf("/") + 1) + slug];
}

/** Drafts often have no UTC time. Then their local time is used. */
function timeOf(item: XmlElement, name: string, zone: string): Date | null {
  const utc = childText(item, `${name}_gmt`).trim();
  const local = childText(item, name).trim();
  if (/^[1-9]/.test(utc)) return instantOf(`${utc}Z`, zone);
  return /^[1-9]/.test(local) ? instantOf(local, zone) : null;
}

function altTextsByUrl(item: XmlElement, id: string, files: WordpressFiles): ImportedItem["pictures"] {
  const text = childText(item, "content:encoded");
  const ids = [...text.matchAll(/\bwp-image-(\d{1,15})\b/g)].map(([, one = ""]) => one);
  const shown = [...ids.map((one) => files.byId.get(one)), ...(files.byPost.get(id) ?? [])];
  const pictures = shown.filter((file) => file !== undefined).map(imageOfFile);
  // WordPress shows an upload's caption only in galleries.
  return new Map(pictures.map(({ address, alt }) => [address, { alt, caption: "" }]));
}

function kommentsOf(item: XmlElement, { authors, zone }: WordpressSite) {
  const all = childElements(item, "wp:comment");
  const written = all.filter(
    (one) =>
      /^(?:comment)?$/.test(childText(one, "wp:comment_type")) &&
      /^(?:0|1|approve|hold)$/.test(childText(one, "wp:comment_approved")),
  );
  const byId = new Map(written.map((one) => [childText(one, "wp:comment_id"), kommentOf(one, zone)]));
  const answered = new Set(written.map((one) => childText(one, "wp:comment_parent")));
  for (const one of written) {
    const parent = byId.get(childText(one, "wp:comment_parent"));
    const id = childText(one, "wp:comment_id");
    const own = byId.get(id);
    if (!parent || !own || parent.answer || !authors.has(childText(one, "wp:comment_user_id"))) continue;
    // The owner's first reply becomes the answer. If the reply has replies itself, it stays a komment.
    if (own.status !== "shown" || answered.has(id)) continue;
    parent.answer = { text: own.text, at: own.at };
    byId.delete(id);
  }
  return { komments: [...byId.values()], others: all.length - written.length };
}

function kommentOf(one: XmlElement, zone: string): ImportedKomment {
  return {
    name: htmlToText(childText(one, "wp:comment_author")),
    address:
      childText(one, "wp:comment_author_url").trim() || childText(one, "wp:comment_author_email").trim(),
    text: childText(one, "wp:comment_content"),
    status: /^(?:1|approve)$/.test(childText(one, "wp:comment_approved")) ? "shown" : "waiting",
    at: timeOf(one, "wp:comment_date", zone) ?? new Date(0),
  };
}
