import { isObject } from "../../../text/json";
import { isNo, isYes, parseDate, textField, textListField } from "../items/dates-and-fields";
import type { ImportedPicture } from "../items/imported-item";
import type { FrontMatter } from "./front-matter";
import type { StaticSite } from "./static-sites-and-permalinks";

const DATED = /^(\d{4})-(\d{1,2})-(\d{1,2})[-_](?=.)/;

/** Falls back to a date at the start of the file's name. */
export function publicationDate(matter: FrontMatter, name: string, zone: string): Date | null {
  const { publishdate, date, published_at, pubdate, published, created } = matter;
  const written = publishdate ?? date ?? published_at ?? pubdate ?? published ?? created;
  return parseDate(written, zone) ?? parseDate(DATED.exec(name)?.[0].slice(0, -1), zone);
}

export function changeDate(matter: FrontMatter, zone: string): Date | null {
  const { lastmod, last_modified_at, updated, modified } = matter;
  return parseDate(lastmod ?? last_modified_at ?? updated ?? modified, zone);
}

export function slugIn(matter: FrontMatter, name: string): string {
  return textField(matter, "slug") || name.replace(DATED, "");
}

/** An unclear value means draft, so that nothing is published by mistake. */
export function isMarkedDraft(matter: FrontMatter): boolean {
  const { draft } = matter;
  return (
    (draft !== undefined && draft !== null && draft !== "" && !isNo(draft)) ||
    [matter.published, matter.publish].some(isNo) ||
    /^(?:draft|pending|private|unpublished|hidden|skip)$/i.test(textField(matter, "status"))
  );
}

export function isPostAt(below: string, matter: FrontMatter, { maker }: StaticSite, hasDate: boolean) {
  const kind = textField(matter, "type", "layout");
  if (/^pages?$/.test(kind) || isYes(matter.is_page)) return false;
  if (/^posts?$/.test(kind)) return true;
  if (/^pages?\/[^/]+$/.test(below)) return false;
  if (/^pages?\//.test(below)) return hasDate;
  if (maker === "cecil") return below.includes("/") && hasDate;
  if (maker === "jekyll") return /(?:^|\/)_(?:posts|drafts)\//.test(below);
  if (maker === "hugo") return below.includes("/");
  if (maker === "eleventy")
    return hasDate || textListField(matter, ["tags"]).some((tag) => /^(?:posts?|blog)$/i.test(tag));
  return maker === "none";
}

const HEADING = /^(?:# ([^\n]{1,1000})|([^\n]{1,1000})\n={2,1000})[ \t]{0,9}(?:\n|$)/;

/** Falls back to the first heading or a file name of several words. Drops a heading that repeats the title. */
export function splitTitle(matter: FrontMatter, body: string, name: string) {
  const title = textField(matter, "title") || (/^\p{L}.* /u.test(name) && !body.startsWith("# ") ? name : "");
  const content = body.trim();
  const [whole = "", marked = "", underlined = ""] = HEADING.exec(content) ?? [];
  const heading = (marked || underlined).trim();
  const isTitle = title === "" ? marked !== "" : [title, "{{ page.title }}"].includes(heading);
  return isTitle
    ? { title: title || heading, content: content.slice(whole.length).trim() }
    : { title, content };
}

/** Eleventy's tags for collections, which are not topics. */
const COLLECTIONS = new Set(["post", "posts", "all", "nav", "blog", "page", "pages"]);

export function topicsOf(below: string, matter: FrontMatter, { maker }: StaticSite) {
  const spaces = maker === "jekyll";
  const [, categoryFolders = ""] = (maker === "jekyll" && /^(.*?)\/?_(?:posts|drafts)\//.exec(below)) || [];
  const categories = [
    ...categoryFolders.split("/").filter(Boolean),
    ...textListField(matter, ["category", "categories"], { spaces }),
  ];
  const [category = null, ...others] = [...new Set(categories)];
  const tags = textListField(matter, ["tags", "tag", "topics", "keywords"], { spaces });
  const named = maker === "eleventy" ? tags.filter((tag) => !COLLECTIONS.has(tag.toLowerCase())) : tags;
  return { categories, category, tags: [...named, ...others] };
}

export function summariesIn(matter: FrontMatter): string[] {
  const named = ["summary", "excerpt", "description"].map((name) => textField(matter, name));
  return [...new Set(named.filter(Boolean))];
}

/** null if there is none, or if it has placeholders such as ":year". */
export function ownAddress(matter: FrontMatter): string | null {
  const address = textField(matter, "url", "permalink");
  return address === "" || address.replace(/^https?:/, "").includes(":") ? null : address;
}

const FEATURED = `featured_image featureimage feature_image cover_image cover image images thumbnail
  hero`.split(/\s+/);

/** Each field is a URL, an object with a URL, or a list of these. */
export function featuredIn(matter: FrontMatter): ImportedPicture | null {
  for (const [first] of FEATURED.map((name) => [matter[name]].flat())) {
    const picture = isObject(first) ? first : { src: first, alt: textField(matter, ...ALT_TEXTS) };
    const address = textField(picture, "image", "src", "url", "path", "feature");
    if (address !== "")
      return { address, alt: textField(picture, "alt") || null, caption: textField(picture, "caption") };
  }
  return null;
}

const ALT_TEXTS = ["image_alt", "cover_alt", "featured_image_alt"];
