import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../html";
import type { Picture } from "../images/link-preview";

/** What a page says about itself to those that link to it. */
export interface SharedPage {
  /** Without the blog's title. */
  title?: string;
  description?: string;
  /** The page's one address, absolute. */
  canonical?: string;
  picture?: Picture;
  article?: Article;
}

/** Of a post; pages have none. */
export interface Article {
  publishedAt: Date;
  changedAt: Date;
  category?: string;
  tags: string[];
}

/** Open Graph (ogp.me) and Twitter cards, which take what they do not find from it. */
export function socialTags(
  blog: Blog,
  { title, description, canonical, picture, article }: SharedPage,
): Html {
  const tags: [property: string, content: string | number | null | undefined][] = [
    ["og:type", article ? "article" : "website"],
    ["og:title", title ?? blog.title],
    ["og:description", description],
    ["og:url", canonical],
    ["og:site_name", blog.title],
    ["og:image", picture?.url],
    ["og:image:width", picture?.width],
    ["og:image:height", picture?.height],
    ["og:image:alt", picture?.alt],
    ["article:published_time", article?.publishedAt.toISOString()],
    ["article:modified_time", article?.changedAt.toISOString()],
    ["article:section", article?.category],
    ...(article?.tags ?? []).map((tag): [string, string] => ["article:tag", tag]),
  ];
  return html`${tags.map(([property, content]) => content && html`<meta property="${property}" content="${content}">\n`)}<meta name="twitter:card" content="${picture ? "summary_large_image" : "summary"}">\n`;
}
