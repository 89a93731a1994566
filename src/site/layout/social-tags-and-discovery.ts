import { type Blog, blogUrl, ownerName, postUrl } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { languageOf, type Post } from "../../posts/post/post";
import { changedAt } from "../../posts/reading/public-posts";
import { topicNamesOf } from "../../posts/storage/categories-and-tags";
import { type Html, html, raw } from "../../text/html";
import type { LinkPreview } from "../images/title-cards-and-icons";
import { displayTitle, MAX_META_DESCRIPTION, summaryOf } from "../titles-dates-and-languages";

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

/** Endpoint discovery (W3C Micropub 5.3, IndieAuth 4.1). */
function endpoints({ config }: Platen): [rel: string, address: string][] {
  return [
    ["micropub", `${config.url}/micropub`],
    ["indieauth-metadata", `${config.url}/.well-known/oauth-authorization-server`],
    // For apps that do not read the metadata document.
    ["authorization_endpoint", `${config.url}/auth`],
    ["token_endpoint", `${config.url}/auth/token`],
  ];
}

/** Apps that run in a browser can read these headers from any origin. */
export function discoveryHeaders(platen: Platen): Record<string, string> {
  const links = endpoints(platen).map(([rel, address]) => `<${address}>; rel="${rel}"`);
  return {
    link: links.join(", "),
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "Link",
  };
}

export function discoveryLinks(platen: Platen): Html {
  return html`${endpoints(platen).map(([rel, address]) => html`<link rel="${rel}" href="${address}">\n`)}`;
}
