import type { Blog } from "../../blogs/blogs";
import { publicPosts } from "../../posts/reading/public-posts";
import { cleanText } from "../../text/clean-text";
import { type Html, html } from "../../text/html";
import { blogLayout, blogPath } from "../layout/layout";
import { pageNumber, paginationLinks } from "../layout/pagination";
import type { BlogRequest } from "../route";
import { englishLang, inEnglish } from "../text/language";
import { postList } from "./post-in-lists";

/** Of the words to look for, in characters. */
const LONGEST_WORDS = 200;

/** The posts and pages with all the words in `q`, newest first; null past the last page. */
export async function searchPage({ platen, blog, query }: BlogRequest): Promise<Html | null> {
  const page = pageNumber(query);
  if (page === null) return null;
  const words = wordsIn(query);
  const address = `${blogPath(platen, blog)}search`;
  const found =
    words === "" ? null : await publicPosts(platen, blog, "search", { words, page, limit: blog.postsAPage });
  if (page > 1 && !found?.posts.length) return null;
  return blogLayout(platen, blog, {
    title: words === "" ? "Search" : inQuotes(words),
    isUnlisted: true,
    main: html`<h1 class="heading"${englishLang(blog)}>Search</h1>
<form class="search" role="search" action="${address}">
<label for="q"${englishLang(blog)}>Words to look for</label>
<input id="q" name="q" type="search" value="${words}" maxlength="${LONGEST_WORDS}" required enterkeyhint="search">
<button${englishLang(blog)}>Search</button>
</form>
${found ? results(blog, found.posts.length, words) : null}
${found?.posts.length ? postList(platen, blog, `Search for ${inQuotes(words)}`, found.posts) : null}
${found ? paginationLinks(blog, `${address}?q=${encodeURIComponent(words)}`, page, found.hasOlder) : null}`,
  });
}

function wordsIn(query: URLSearchParams): string {
  const asked = cleanText(query.get("q") ?? "")
    .replace(/\s+/g, " ")
    .trim();
  return [...asked.slice(0, 2 * LONGEST_WORDS)].slice(0, LONGEST_WORDS).join("");
}

function results(blog: Blog, count: number, words: string): Html {
  if (count === 0)
    return html`<p class="results">${inEnglish(blog, `Nothing here has ${inQuotes(words)} in it. Try fewer words, or another one.`)}</p>`;
  return html`<h2 class="results">${inEnglish(blog, `With ${inQuotes(words)} in it`)}</h2>`;
}

/** Those that are typed are enough. */
function inQuotes(words: string): string {
  return /^["“„«].*["“”»]$/.test(words) ? words : `“${words}”`;
}
