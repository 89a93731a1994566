import type { Blog } from "../../blogs/blogs";
import type { Post } from "../../posts/post/post";
import { changedAt } from "../../posts/reading/public-posts";
import { html } from "../../text/html";
import type { LinkPreview } from "../images/title-card";

export interface PageMetadata {
  title?: string;
  description?: string;
  canonical?: string;
  preview?: LinkPreview;
  article?: Post;
}

/** Open Graph (ogp.me). Twitter reads these tags too, and additionally needs only the card type. */
export function socialTags(blog: Blog, { title, description, canonical, preview, article }: PageMetadata) {
  const tags: [property: string, content: string | number | null | undefined][] = [
    ["og:type", article ? "article" : "website"],
    ["og:title", title ?? blog.title],
    ["og:description", description],
    ["og:url", canonical],
    ["og:site_name", blog.title],
    ["og:image", preview?.url],
    ["og:image:width", preview?.width],
    ["og:image:height", preview?.height],
    ["og:image:alt", preview?.alt],
    ["article:published_time", article?.publishedAt?.toISOString()],
    ["article:modified_time", article && changedAt(article).toISOString()],
    ["article:section", article?.category?.name],
    ...(article?.tags ?? []).map((tag): [string, string] => ["article:tag", tag]),
  ];
  return html`${tags.map(([property, content]) => content && html`<meta property="${property}" content="${content}">\n`)}<meta name="twitter:card" content="${preview ? "summary_large_image" : "summary"}">\n`;
}
