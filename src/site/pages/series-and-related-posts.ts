import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { type LinkedPost, languageOf, type Post } from "../../posts/post/post";
import { relatedPosts, seriesParts } from "../../posts/reading/related-posts-and-series";
import { type Html, html } from "../../text/html";
import { say } from "../../text/words/words";
import { displayTitle, partLanguage } from "../titles-dates-and-languages";

const MAX_LINK_TITLE = 90;

export function seriesLine(platen: Platen, post: Post): Html | null {
  const { id, blog, series } = post;
  const parts = seriesParts(platen, post);
  if (parts.length < 2) return null;
  const number = parts.findIndex((part) => part.id === id) + 1;
  if (number === 0) return null;
  return html`<p class="in-series">${say(blog, "partOfSeries", { number, count: parts.length })} <a href="#series"><bdi>${series}</bdi></a></p>`;
}

export function seriesSection(platen: Platen, post: Post, base: string): Html | null {
  const { id, blog, series } = post;
  const parts = seriesParts(platen, post);
  if (parts.length < 2) return null;
  const line = (part: LinkedPost) =>
    part.id === id
      ? html`<li aria-current="page"${partLanguage(languageOf(part, blog), blog.language)}>${partTitle(platen, part)}</li>\n`
      : html`<li>${linkTo(platen, blog, part, base)}</li>\n`;
  return html`<nav class="series" id="series" aria-labelledby="series-name">
<h2 class="label" id="series-name">${series}</h2>
<ol>
${parts.map(line)}</ol>
</nav>`;
}

export function relatedSection(platen: Platen, post: Post, base: string): Html | null {
  const { blog } = post;
  const related = blog.design.related ? relatedPosts(platen, post) : [];
  if (related.length === 0) return null;
  return html`<nav class="related" aria-labelledby="related">
<h2 class="label" id="related">${say(blog, "relatedPosts")}</h2>
<ul>
${related.map((one) => html`<li>${linkTo(platen, blog, one, base)}</li>\n`)}</ul>
</nav>`;
}

function linkTo(platen: Platen, blog: Blog, post: LinkedPost, base: string): Html {
  return html`<a href="${base}${post.slug}"${partLanguage(languageOf(post, blog), blog.language)}>${partTitle(platen, post)}</a>`;
}

function partTitle(platen: Platen, post: LinkedPost): string {
  return excerpt(displayTitle(platen, post), MAX_LINK_TITLE);
}
