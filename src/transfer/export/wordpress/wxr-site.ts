import { eq } from "drizzle-orm";
import { accountById } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { blogUrl } from "../../../blogs/permalinks";
import { slugify } from "../../../blogs/slug";
import { categories, tags } from "../../../database/schema";
import type { Platen } from "../../../platen";
import { topicNameKey } from "../../../posts/topics/topics";
import { version } from "../../../version";
import { asHtml, cdataElement, parentElement } from "./wxr-elements";

export interface WxrSite {
  platen: Platen;
  blog: Blog;
  /** The blog's URL with a trailing slash. */
  url: string;
  author: { name: string; login: string };
  tagSlug(name: string): string;
  at: Date;
}

/** The only author. Komments with this user id are the owner's replies. */
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

/** @param withTopics true only for the first file */
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
  // WordPress has one id range for categories and tags; see wxr-elements.
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
