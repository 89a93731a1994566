import { eq } from "drizzle-orm";
import { accountById } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { blogUrl } from "../../../blogs/permalinks";
import { slugify } from "../../../blogs/slug";
import { categories, tags } from "../../../database/schema";
import type { Platen } from "../../../platen";
import { topicNameKey } from "../../../posts/topics/topics";
import { version } from "../../../version";
import { asHtml, element, parent } from "./wxr-elements";

/** What all items of an export have alike. */
export interface WxrSite {
  platen: Platen;
  blog: Blog;
  /** Ends with a slash. */
  url: string;
  author: { name: string; login: string };
  /** Of a tag, by its name. */
  tagSlug(name: string): string;
  at: Date;
}

/** The one account that wrote it all; komments of its number are the owner's answers. */
export const AUTHOR = 1;

export function wxrSite(platen: Platen, blog: Blog): WxrSite {
  const name = accountById(platen, blog.accountId)?.name ?? blog.title;
  const rows = platen.db.select().from(tags).where(eq(tags.blogId, blog.id)).all();
  const slugs = new Map(rows.map((tag) => [tag.nameKey, tag.slug]));
  return {
    ...{ platen, blog, url: blogUrl(platen, blog), at: platen.now() },
    author: { name, login: slugify(name) || "author" },
    tagSlug: (tag) => slugs.get(topicNameKey(tag)) ?? slugify(tag),
  };
}

/** All above the items. @param withTopics in the first of several files */
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
${element("title", title)}${element("link", url)}${element("description", description)}${element("pubDate", at.toUTCString())}${element(
  "language",
  language,
)}<wp:wxr_version>1.2</wp:wxr_version>
${element("wp:base_site_url", url)}${element("wp:base_blog_url", url)}${parent(
  "wp:author",
  element("wp:author_id", AUTHOR),
  element("wp:author_login", author.login),
  element("wp:author_email", ""),
  element("wp:author_display_name", author.name),
)}${withTopics ? topics(platen, blog) : ""}${element("generator", `Platen ${version}`)}`;
}

export const WXR_FOOT = "</channel>\n</rss>\n";

function topics({ db }: Platen, { id }: Blog): string {
  const ofBlog = db.select().from(categories).where(eq(categories.blogId, id)).orderBy(categories.id).all();
  const others = db.select().from(tags).where(eq(tags.blogId, id)).orderBy(tags.id).all();
  // Numbers of two rows in one, as in wxr-ids.
  return [
    ...ofBlog.map((one) =>
      parent(
        "wp:category",
        element("wp:term_id", 2 * one.id),
        element("wp:category_nicename", one.slug),
        element("wp:category_parent", ""),
        element("wp:cat_name", asHtml(one.name)),
      ),
    ),
    ...others.map((one) =>
      parent(
        "wp:tag",
        element("wp:term_id", 2 * one.id + 1),
        element("wp:tag_slug", one.slug),
        element("wp:tag_name", asHtml(one.name)),
      ),
    ),
  ].join("");
}
