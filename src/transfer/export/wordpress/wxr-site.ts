import { eq } from "drizzle-orm";
import { accountById } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { blogUrl } from "../../../blogs/permalinks";
import { slugify } from "../../../blogs/slug";
import { categories, tags } from "../../../database/schema";
import type { Platen } from "../../../platen";
import { topicNameKey } from "../../../posts/topics/topics";
import { cleanXml } from "../../../text/clean-text";
import { version } from "../../../version";

export interface WxrSite {
  platen: Platen;
  blog: Blog;
  url: string;
  author: { name: string; login: string };
  tagSlug(name: string): string;
  at: Date;
}

/** The only author. WXR comments by this user are the owner's replies. */
export const AUTHOR_ID = 1;

export function createWxrSite(platen: Platen, blog: Blog): WxrSite {
  const name = accountById(platen, blog.accountId)?.name ?? blog.title;
  const rows = platen.db.select().from(tags).where(eq(tags.blogId, blog.id)).all();
  const slugs = new Map(rows.map((tag) => [tag.nameKey, tag.slug]));
  return {
    ...{ platen, blog, url: blogUrl(platen, blog), at: platen.now() },
    author: { name, login: slugify(name) || "author" },
    tagSlug: (tag) => slugs.get(topicNameKey(tag)) ?? slugify(tag),
  };
}

export function wxrHead({ platen, blog, url, author, at }: WxrSite, withTopics: boolean): string {
  const { title, description, language } = blog;
  return `<?xml version="1.0" encoding="UTF-8" ?>
<!-- A blog for WordPress: Tools, Import, WordPress. Made by Platen. -->
<rss version="2.0"
 xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:wp="http://wordpress.org/export/1.2/">
<channel>
${cdataElement("title", title)}${cdataElement("link", url)}${cdataElement("description", description)}${cdataElement("pubDate", at.toUTCString())}${cdataElement(
  "language",
  language,
)}<wp:wxr_version>1.2</wp:wxr_version>
${cdataElement("wp:base_site_url", url)}${cdataElement("wp:base_blog_url", url)}${parentElement(
  "wp:author",
  cdataElement("wp:author_id", AUTHOR_ID),
  cdataElement("wp:author_login", author.login),
  cdataElement("wp:author_email", ""),
  cdataElement("wp:author_display_name", author.name),
)}${withTopics ? topics(platen, blog) : ""}${cdataElement("generator", `Platen ${version}`)}`;
}

export const WXR_FOOT = "</channel>\n</rss>\n";

function topics({ db }: Platen, { id }: Blog): string {
  const ofBlog = db.select().from(categories).where(eq(categories.blogId, id)).orderBy(categories.id).all();
  const others = db.select().from(tags).where(eq(tags.blogId, id)).orderBy(tags.id).all();
  // WordPress has one id range for categories and tags, so their ids are made even and odd.
  return [
    ...ofBlog.map((one) =>
      parentElement(
        "wp:category",
        cdataElement("wp:term_id", 2 * one.id),
        cdataElement("wp:category_nicename", one.slug),
        cdataElement("wp:category_parent", ""),
        cdataElement("wp:cat_name", asHtml(one.name)),
      ),
    ),
    ...others.map((one) =>
      parentElement(
        "wp:tag",
        cdataElement("wp:term_id", 2 * one.id + 1),
        cdataElement("wp:tag_slug", one.slug),
        cdataElement("wp:tag_name", asHtml(one.name)),
      ),
    ),
  ].join("");
}

/** Uses CDATA, because one of the WordPress parsers does not decode entities. */
export function cdataElement(
  name: string,
  text: string | number,
  attributes: Record<string, string> = {},
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapedXml(value)}"`);
  return `<${name}${written.join("")}>${cdata(String(text))}</${name}>\n`;
}

/** WordPress stores titles, names and alt texts as HTML. */
export function asHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function parentElement(name: string, ...children: string[]): string {
  return `<${name}>\n${children.join("")}</${name}>\n`;
}

export function postMeta(key: string, value: string | number): string {
  return parentElement("wp:postmeta", cdataElement("wp:meta_key", key), cdataElement("wp:meta_value", value));
}

function cdata(text: string): string {
  return `<![CDATA[${cleanXml(text).replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

function escapedXml(text: string): string {
  return Bun.escapeHTML(cleanXml(text));
}

/**
 * WordPress has one id range for posts and uploads, and one for komments and replies. Even and odd ids keep
 * them apart.
 */

export const wxrPostId = ({ id }: { id: number }) => 2 * id;
export const wxrAttachmentId = ({ id }: { id: number }) => 2 * id + 1;

export const wxrKommentId = ({ id }: { id: number }) => 2 * id;
export const wxrAnswerId = ({ id }: { id: number }) => 2 * id + 1;

const NONE = "0000-00-00 00:00:00";

export function wxrUtcTime(at: Date | null): string {
  return at ? at.toISOString().slice(0, 19).replace("T", " ") : NONE;
}

export function wxrLocalTime(at: Date, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}
