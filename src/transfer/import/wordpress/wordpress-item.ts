import { instantOf } from "../../../blogs/time-zone";
import type { ImportedKomment } from "../../../komments/importing-komments";
import { wordsIn } from "../content/html-content";
import { decodedPath, type Found, type ImportedItem, plainItem } from "../items/imported-item";
import { childrenOf, textOf, type XmlElement } from "../sources/xml-reader";
import { wordpressHtml } from "./wordpress-content";
import { NOT_THERE, pictureOf, type WordpressFile, type WordpressFiles } from "./wordpress-files";

/** Of a post that is shown; any other is kept and not shown. */
const STATUS: Record<string, ImportedItem["status"]> = {
  publish: "published",
  future: "published",
  draft: "draft",
  pending: "draft",
  private: "archived",
};

/** The site that an export is of, as far as it says. */
export interface WordpressSite {
  address: string;
  zone: string;
  /** Have accounts there, by their numbers: their komments are the owner's. */
  authors: Set<string>;
  /** By what each post is called for programs, its number: a copy of a post may be called as that is. */
  called: Map<string, string>;
}

/** @returns what has no place here, in words, or the post */
export function foundInItem(item: XmlElement, site: WordpressSite, files: WordpressFiles): Found | null {
  const type = textOf(item, "wp:post_type");
  const status = textOf(item, "wp:status");
  if (type === "attachment" || status === "auto-draft" || type === "revision") return null;
  // It stands in the posts that use it.
  if (type === "wp_block") return null;
  if (type !== "post" && type !== "page") return { passedOver: `things of the type ${type || "unknown"}` };
  if (status === "trash") return { passedOver: "posts in the trash" };
  return { item: itemOf(item, type, STATUS[status] ?? "draft", site, files) };
}

function itemOf(
  item: XmlElement,
  type: ImportedItem["type"],
  asked: ImportedItem["status"],
  site: WordpressSite,
  files: WordpressFiles,
): ImportedItem {
  const id = textOf(item, "wp:post_id");
  const title = wordsIn(textOf(item, "title"));
  const address = textOf(item, "link").trim();
  const lost: string[] = [];
  const isLocked = textOf(item, "wp:post_password") !== "";
  if (isLocked) lost.push("passwords of posts, which are archived instead");
  if (site.authors.size > 1) lost.push("who of several authors wrote a post");
  const { category, tags } = topicsOf(item);
  const at = timeOf(item, "wp:post_date", site.zone);
  const thumbnail = metaOf(item, "_thumbnail_id");
  const featured = files.withId(thumbnail);
  if (!featured && Number(thumbnail) > 0) lost.push(`featured images, ${NOT_THERE}`);
  const { komments, others } = kommentsOf(item, site);
  lost.push(...Array.from({ length: others }, () => "pingbacks, and komments that were refused"));
  const status = isLocked && asked === "published" ? "archived" : asked;
  return plainItem({
    key: keyOf(item, id, site),
    name: title || address || `post ${id}`,
    summary: wordsIn(textOf(item, "excerpt:encoded")),
    pinned: textOf(item, "wp:is_sticky").trim() === "1",
    ...{ type, title, status, category, tags, lost, komments },
    content: wordpressHtml(withFootnotes(item), id, files, (what) => lost.push(what)),
    contentType: "html",
    publishedAt: asked === "draft" ? null : at,
    createdAt: at,
    updatedAt: timeOf(item, "wp:post_modified", site.zone),
    slug: decodedPath(textOf(item, "wp:post_name")) || null,
    formerAddresses: [
      ...addressesOf(item, id, address, status),
      ...metasOf(item, "_wp_old_slug").flatMap((slug) => besides(address, slug)),
    ],
    kommentsDisabled: textOf(item, "wp:comment_status") === "closed",
    base: address || site.address,
    featured: featured ? pictureOf(featured) : null,
    pictures: picturesKnown(item, id, files),
  });
}

function keyOf(item: XmlElement, id: string, { address, called }: WordpressSite): string {
  const guid = textOf(item, "guid").trim() || `${address} ${id}`;
  const first = called.get(guid) ?? id;
  called.set(guid, first);
  return first === id ? guid : `${guid} ${id}`;
}

/** What stands in the block of footnotes is kept beside the text. */
function withFootnotes(item: XmlElement): string {
  const text = textOf(item, "content:encoded");
  const notes = notesIn(metaOf(item, "footnotes"));
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

function notesIn(json: string): { id: string; content: string }[] {
  try {
    const read: unknown = json === "" ? [] : JSON.parse(json);
    return Array.isArray(read) ? read.filter(isNote) : [];
  } catch {
    return [];
  }
}

function isNote(value: unknown): value is { id: string; content: string } {
  const { id, content } = (value ?? {}) as Record<string, unknown>;
  return typeof id === "string" && /^[\w-]{1,60}$/.test(id) && typeof content === "string";
}

/** A draft was nowhere. */
function addressesOf(item: XmlElement, id: string, address: string, status: string): string[] {
  if (status === "draft") return [];
  const numbers = [`/?p=${id}`, `/?page_id=${id}`];
  const guid = textOf(item, "guid").trim();
  const others = /^https?:/.test(guid) && !/[?&](?:p|page_id)=/.test(guid) ? [guid] : [];
  const own = /[?&](?:p|page_id)=/.test(address) ? [] : [address];
  return [...own, ...others, ...numbers].filter(Boolean);
}

function topicsOf(item: XmlElement): { category: string | null; tags: string[] } {
  const named = (...domains: string[]) => {
    const all = childrenOf(item, "category")
      .filter(({ attributes: { domain, nicename } }) => {
        return domains.includes(domain ?? "") && nicename !== "uncategorized";
      })
      .map(({ text }) => wordsIn(text));
    return [...new Set(all)].filter(Boolean);
  };
  const [category = null, ...others] = named("category");
  // WXR 1.0 calls them "tag", and names each twice.
  return { category, tags: [...named("post_tag", "tag"), ...others] };
}

/** Where it was before its slug was changed there: all but the slug was as it is. */
function besides(address: string, slug: string): string[] {
  const url = URL.parse(address);
  if (url?.search !== "" || slug === "") return [];
  const path = url.pathname.replace(/\/$/, "");
  return [url.origin + path.slice(0, path.lastIndexOf("/") + 1) + slug];
}

function metasOf(item: XmlElement, key: string): string[] {
  return childrenOf(item, "wp:postmeta")
    .filter((one) => textOf(one, "wp:meta_key") === key)
    .map((one) => textOf(one, "wp:meta_value").trim());
}

function metaOf(item: XmlElement, key: string): string {
  return metasOf(item, key)[0] ?? "";
}

/** UTC where it is told, for drafts often hold "0000-00-00 00:00:00"; else in the blog's zone. */
function timeOf(item: XmlElement, name: string, zone: string): Date | null {
  const utc = textOf(item, `${name}_gmt`).trim();
  const local = textOf(item, name).trim();
  if (/^[1-9]/.test(utc)) return instantOf(`${utc}Z`, zone);
  return /^[1-9]/.test(local) ? instantOf(local, zone) : null;
}

function picturesKnown(item: XmlElement, id: string, files: WordpressFiles): ImportedItem["pictures"] {
  const text = textOf(item, "content:encoded");
  const ids = [...text.matchAll(/\bwp-image-(\d{1,15})\b/g)].map(([, one = ""]) => one);
  const shown = [...ids.map((one) => files.withId(one)), ...files.uploadedTo(id)];
  return new Map(
    shown
      .filter((file) => file !== undefined)
      // A caption belongs to the place where it is written: WordPress shows the upload's own in galleries only.
      .map((file) => [file.address, { alt: pictureOf(file).alt, caption: "" }]),
  );
}

/** @returns `others`: pingbacks and what was refused there */
function kommentsOf(
  item: XmlElement,
  { authors, zone }: WordpressSite,
): { komments: ImportedKomment[]; others: number } {
  const all = childrenOf(item, "wp:comment");
  const written = all.filter(
    (one) =>
      /^(?:comment)?$/.test(textOf(one, "wp:comment_type")) &&
      /^(?:0|1|approve|hold)$/.test(textOf(one, "wp:comment_approved")),
  );
  const byId = new Map<string, ImportedKomment>();
  const answered = new Set(written.map((one) => textOf(one, "wp:comment_parent")));
  for (const one of written) byId.set(textOf(one, "wp:comment_id"), kommentOf(one, zone));
  for (const one of written) {
    const above = byId.get(textOf(one, "wp:comment_parent"));
    const id = textOf(one, "wp:comment_id");
    const own = byId.get(id);
    if (!above || !own || above.answer || !authors.has(textOf(one, "wp:comment_user_id"))) continue;
    // The first answer of the blog's own; one that others have answered stays a komment, for theirs to make sense.
    if (own.status !== "shown" || answered.has(id)) continue;
    above.answer = { text: own.text, at: own.at };
    byId.delete(id);
  }
  return { komments: [...byId.values()], others: all.length - written.length };
}

function kommentOf(one: XmlElement, zone: string): ImportedKomment {
  return {
    name: wordsIn(textOf(one, "wp:comment_author")),
    address: textOf(one, "wp:comment_author_url").trim() || textOf(one, "wp:comment_author_email").trim(),
    text: textOf(one, "wp:comment_content"),
    status: /^(?:1|approve)$/.test(textOf(one, "wp:comment_approved")) ? "shown" : "waiting",
    at: timeOf(one, "wp:comment_date", zone) ?? new Date(0),
  };
}

/** An upload, which is an item of its own there; null: it is none. */
export function fileInItem(item: XmlElement): WordpressFile | null {
  const address = textOf(item, "wp:attachment_url").trim();
  if (textOf(item, "wp:post_type") !== "attachment" || address === "") return null;
  return {
    id: textOf(item, "wp:post_id"),
    address,
    title: textOf(item, "title").trim(),
    alt: metaOf(item, "_wp_attachment_image_alt"),
    caption: textOf(item, "excerpt:encoded").trim(),
    parent: textOf(item, "wp:post_parent"),
  };
}
