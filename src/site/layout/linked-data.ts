import { type Blog, ownerName } from "../../blogs/blogs";
import { blogUrl, postUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { languageOf, type Post } from "../../posts/post/post";
import { changedAt } from "../../posts/reading/public-posts";
import { topicNamesOf } from "../../posts/topics/topics";
import { type Html, html, raw } from "../../text/html";
import type { LinkPreview } from "../images/title-card";
import { displayTitle, MAX_META_DESCRIPTION, summaryOf } from "../text/title-and-summary";

export type LinkedData = Record<string, unknown>;

export function blogData(platen: Platen, blog: Blog): LinkedData {
  return {
    "@type": "Blog",
    name: blog.title,
    url: blogUrl(platen, blog),
    description: blog.description || undefined,
    inLanguage: blog.language,
    author: author(platen, blog),
  };
}

export function postData(platen: Platen, post: Post, preview: LinkPreview): LinkedData {
  const { blog } = post;
  const url = postUrl(platen, blog, post);
  const shared = {
    url,
    description: summaryOf(platen, post, MAX_META_DESCRIPTION) || undefined,
    inLanguage: languageOf(post, blog),
    dateModified: changedAt(post).toISOString(),
    author: author(platen, blog),
    image: preview.url,
  };
  if (post.type === "page") return { "@type": "WebPage", name: displayTitle(platen, post), ...shared };
  const topics = topicNamesOf(post);
  return {
    "@type": "BlogPosting",
    headline: displayTitle(platen, post),
    mainEntityOfPage: url,
    datePublished: post.publishedAt?.toISOString(),
    articleSection: post.category?.name,
    keywords: topics.length > 0 ? topics : undefined,
    isPartOf: { "@type": "Blog", name: blog.title, url: blogUrl(platen, blog) },
    ...shared,
  };
}

function author(platen: Platen, blog: Blog): LinkedData {
  return { "@type": "Person", name: ownerName(platen, blog), url: blogUrl(platen, blog) };
}

/** Escapes `<`, so that a title cannot end the element. Browsers do not run this data block. */
export function linkedDataScript(data: LinkedData): Html {
  const json = JSON.stringify({ "@context": "https://schema.org", ...data }).replaceAll("<", "\\u003c");
  return html`<script type="application/ld+json">${raw(json)}</script>\n`;
}
