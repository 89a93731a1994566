import { accountById } from "../accounts/accounts";
import { postUrl } from "../blogs/addresses";
import { type Html, html, raw } from "../html";
import type { Platen } from "../platen";
import { withBase } from "../posts/content";
import type { Post } from "../posts/post";
import { dateWriter } from "./dates";
import { excerpt } from "./excerpt";
import { blogLayout, blogPath } from "./layout";

/** In characters; search engines show about as much. */
const LONGEST_DESCRIPTION = 160;
/** What stands in the tab for a post without a title, in characters. */
const LONGEST_STAND_IN = 60;

/** One post or page, whole. */
export function postPage(platen: Platen, post: Post): Html {
  return blogLayout(platen, post.blog, {
    title: post.title || excerpt(post.text, LONGEST_STAND_IN),
    description: excerpt(post.text, LONGEST_DESCRIPTION),
    canonical: postUrl(platen, post.blog, post),
    isUnlisted: post.noIndexNoFollow,
    main: html`<article class="h-entry">
${post.title ? html`<h1 class="p-name">${post.title}</h1>` : null}
${post.type === "post" ? byline(platen, post) : null}
<div class="e-content prose">${raw(withBase(post.html, ""))}</div>
${post.tags.length > 0 ? tagList(post.tags) : null}
</article>`,
  });
}

function byline(platen: Platen, post: Post): Html {
  const { blog, category } = post;
  const author = accountById(platen.db, blog.accountId)?.name;
  const written = dateWriter(blog);
  return html`<p class="meta"><a class="u-url" href="${blogPath(platen, blog)}${post.slug}">${written(post.publishedAt as Date)}</a>
<a class="p-author h-card" href="${blogPath(platen, blog)}">${author}</a>
${category ? html`<span class="p-category">${category.name}</span>` : null}</p>`;
}

function tagList(tags: string[]): Html {
  return html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li class="p-category">${tag}</li>`)}</ul>`;
}
