import { accountById } from "../../accounts/accounts";
import { type Blog, blogUrl } from "../../blogs/blogs";
import { slugify } from "../../blogs/slug";
import type { Platen } from "../../platen";
import { type Topic, type TopicKind, topicNameKey } from "../../posts/storage/categories-and-tags";
import { cleanXml } from "../../text/clean-text";
import { version } from "../../version";
import { listTopics } from "./exported-posts-and-media";

/** The only author. WXR comments by this user are the owner's replies. */
export const AUTHOR_ID = 1;

export type WxrSite = ReturnType<typeof createWxrSite>;

export function createWxrSite(platen: Platen, blog: Blog) {
  const name = accountById(platen, blog.accountId)?.name ?? blog.title;
  const slugs = new Map(listTopics(platen, blog, "tag").map((tag) => [tag.nameKey, tag.slug]));
  return {
    ...{ platen, blog, url: blogUrl(platen, blog), at: platen.now() },
    author: { name, login: slugify(name) || "author" },
    tagSlug: (tag: string) => slugs.get(topicNameKey(tag)) ?? slugify(tag),
  };
}

export function wxrHead({ platen, blog, url, author, at }: WxrSite, withTopics: boolean): string {
  const { title, description, language } = blog;
  const about = { title, link: url, description, pubDate: at.toUTCString(), language };
  const authorElements = cdataElements({
    "wp:author_id": AUTHOR_ID,
    "wp:author_login": author.login,
    "wp:author_email": "",
    "wp:author_display_name": author.name,
  });
  return [
    `<?xml version="1.0" encoding="UTF-8" ?>
<!-- A blog for WordPress: Tools, Import, WordPress. Made by Platen. -->
<rss version="2.0"
 xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:wp="http://wordpress.org/export/1.2/">
<channel>
`,
    cdataElements(about),
    "<wp:wxr_version>1.2</wp:wxr_version>\n",
    cdataElements({ "wp:base_site_url": url, "wp:base_blog_url": url }),
    parentElement("wp:author", authorElements),
    withTopics ? topics(platen, blog) : "",
    cdataElement("generator", `Platen ${version}`),
  ].join("");
}

export const WXR_FOOT = "</channel>\n</rss>\n";

function topics(platen: Platen, blog: Blog): string {
  const elementsOf = (kind: TopicKind, name: string, fieldsOf: (topic: Topic) => WxrFields) =>
    listTopics(platen, blog, kind).map((topic) => parentElement(name, cdataElements(fieldsOf(topic))));
  return [
    ...elementsOf("category", "wp:category", (category) => ({
      "wp:term_id": evenId(category),
      "wp:category_nicename": category.slug,
      "wp:category_parent": "",
      "wp:cat_name": asHtml(category.name),
    })),
    ...elementsOf("tag", "wp:tag", (tag) => ({
      "wp:term_id": oddId(tag),
      "wp:tag_slug": tag.slug,
      "wp:tag_name": asHtml(tag.name),
    })),
  ].join("");
}

/**
 * WordPress has one id range for categories and tags, one for posts and uploads, and one for komments and
 * replies. Even and odd ids keep the two kinds apart.
 */
export const evenId = ({ id }: { id: number }) => 2 * id;
export const oddId = ({ id }: { id: number }) => 2 * id + 1;

export type WxrFields = Record<string, string | number>;

export function cdataElements(fields: WxrFields): string {
  return Object.entries(fields)
    .map(([name, text]) => cdataElement(name, text))
    .join("");
}

/** Uses CDATA, because one of the WordPress parsers does not decode entities. */
export function cdataElement(name: string, text: string | number, attributes: Record<string, string> = {}) {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${Bun.escapeHTML(cleanXml(value))}"`,
  );
  const data = cleanXml(String(text)).replaceAll("]]>", "]]]]><![CDATA[>");
  return `<${name}${written.join("")}><![CDATA[${data}]]></${name}>\n`;
}

/** WordPress stores titles, names and alt texts as HTML. */
export function asHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function parentElement(name: string, elements: string): string {
  return `<${name}>\n${elements}</${name}>\n`;
}

export function postMeta(key: string, value: string | number): string {
  return parentElement("wp:postmeta", cdataElements({ "wp:meta_key": key, "wp:meta_value": value }));
}

/** The elements `name`, in the blog's time zone, and `name_gmt`. */
export function wxrTimes(name: string, at: Date, { timeZone }: Blog): WxrFields {
  const utc = Temporal.Instant.fromEpochMilliseconds(at.getTime());
  const written = (zone: string) =>
    utc.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
  return { [name]: written(timeZone), [`${name}_gmt`]: written("UTC") };
}
