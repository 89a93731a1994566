import type { Blog } from "../../blogs/blogs";
import { publicPosts } from "../../posts/reading/public-posts";
import { oneLine } from "../../text/clean-text";
import { type Html, html } from "../../text/html";
import { englishLang, say, word } from "../../text/words/words";
import { blogLayout, blogPath } from "../layout/layout";
import { MAX_QUERY_LENGTH, paginationLinks, searchForm } from "../layout/pagination-and-search-form";
import type { BlogRequest } from "../route-types";
import { postList } from "./post-in-lists";

export async function searchPage({ platen, blog, query, page }: BlogRequest): Promise<Html | null> {
  const words = searchTerms(query);
  const address = `${blogPath(platen, blog)}search`;
  const found =
    words === "" ? null : await publicPosts(platen, blog, "search", { words, page, limit: blog.postsAPage });
  if (page > 1 && !found?.posts.length) return null;
  return blogLayout(platen, blog, {
    title: words === "" ? word(blog, "search") : inQuotes(blog, words),
    isUnlisted: true,
    main: html`<h1 class="heading"${englishLang(blog)}>${word(blog, "search")}</h1>
${searchForm(blog, blogPath(platen, blog), words)}
${found ? results(blog, found.posts.length, inQuotes(blog, words)) : null}
${found?.posts.length ? postList(platen, blog, word(blog, "searchFor", { words: inQuotes(blog, words) }), found.posts) : null}
${found ? paginationLinks(blog, `${address}?q=${encodeURIComponent(words)}`, page, found.hasOlder) : null}`,
  });
}

function searchTerms(query: URLSearchParams): string {
  const text = oneLine(query.get("q") ?? "");
  return [...text.slice(0, 2 * MAX_QUERY_LENGTH)].slice(0, MAX_QUERY_LENGTH).join("");
}

function results(blog: Blog, count: number, words: string): Html {
  if (count === 0) return html`<p class="results">${say(blog, "noResults", { words })}</p>`;
  return html`<h2 class="results">${say(blog, "resultsFor", { words })}</h2>`;
}

function inQuotes(blog: Blog, words: string): string {
  return /^["“„«].*["“”»]$/.test(words) ? words : word(blog, "quoted", { words });
}
