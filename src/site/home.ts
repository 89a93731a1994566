import { accountById } from "../accounts/accounts";
import { blogUrl } from "../blogs/addresses";
import type { Blog } from "../blogs/blogs";
import { type Html, html, raw } from "../html";
import type { Platen } from "../platen";
import { withBase } from "../posts/content";
import { type FrontPagePost, frontPage } from "../posts/front-page";
import { dateWriter } from "./dates";
import { excerpt } from "./excerpt";
import { blogLayout, blogPath } from "./layout";

const POSTS_A_PAGE = 20;
/** In characters. */
const LONGEST_EXCERPT = 220;

/** A blog's newest posts, page by page; null past the last one. @param asked as the address has it, from "1" */
export function homePage(platen: Platen, blog: Blog, asked: string): Html | null {
  if (!/^[1-9]\d{0,8}$/.test(asked)) return null;
  const page = Number(asked);
  const { posts, hasOlder } = frontPage(platen, blog, { page, limit: POSTS_A_PAGE });
  if (posts.length === 0 && page > 1) return null;
  const written = dateWriter(blog);
  const base = blogPath(platen, blog);
  const url = blogUrl(platen, blog);
  return blogLayout(platen, blog, {
    title: page > 1 ? `Page ${page}` : undefined,
    description: blog.description,
    canonical: page > 1 ? `${url}?page=${page}` : url,
    isHome: true,
    main: html`<div class="h-feed">
<data class="p-name" value="${blog.title}"></data>
<data class="p-author h-card" value="${accountById(platen.db, blog.accountId)?.name}"></data>
${posts.length > 0 ? posts.map((post) => entry(post, base, written)) : html`<p class="empty">Nothing here yet.</p>`}
</div>
${pages(base, page, hasOlder)}`,
  });
}

function entry(post: FrontPagePost, base: string, written: (at: Date) => Html): Html {
  const date = written(post.publishedAt as Date);
  const link = base + post.slug;
  if (post.html !== null)
    return html`<article class="h-entry note">
<div class="e-content prose">${raw(withBase(post.html, ""))}</div>
<p class="meta"><a class="u-url" href="${link}">${date}</a></p>
</article>`;
  return html`<article class="h-entry">
<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>
<p class="p-summary">${excerpt(post.text, LONGEST_EXCERPT)}</p>
<p class="meta">${date}</p>
</article>`;
}

function pages(base: string, page: number, hasOlder: boolean): Html | null {
  if (page === 1 && !hasOlder) return null;
  const newer = page === 2 ? base : `${base}?page=${page - 1}`;
  return html`<nav class="pages" aria-label="Pages">
${page > 1 ? html`<a rel="prev" href="${newer}">← Newer posts</a>` : null}
${hasOlder ? html`<a rel="next" href="${base}?page=${page + 1}">Older posts →</a>` : null}
</nav>`;
}
