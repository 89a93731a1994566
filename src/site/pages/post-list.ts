import { accountById } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { type Html, html } from "../../html";
import type { Platen } from "../../platen";
import { replyContext } from "../../posts/content/reply-context";
import type { PublicPost } from "../../posts/reading/public-lists";
import { shownContent } from "../images/content-images";
import { coversOf } from "../images/covers";
import { blogPath } from "../layout/layout";
import { dateWriter } from "../text/dates";
import { nameOf, summaryOf } from "../text/titles";

/** In characters. */
const LONGEST_EXCERPT = 220;
/** Below a picture. */
const LONGEST_LEGEND = 100;

/**
 * Posts for reading on, as an h-feed (microformats.org/wiki/h-feed).
 * @param name what the list is, for machines; people read it in the heading above
 */
export function postList(platen: Platen, blog: Blog, name: string, posts: PublicPost[]): Html {
  const written = dateWriter(blog);
  const base = blogPath(platen, blog);
  const covers = coversOf(platen, blog, posts);
  const entry = (post: PublicPost, number: number) => {
    const date = written(post.publishedAt as Date);
    const link = base + post.slug;
    const cover = covers.get(post.id);
    if (cover) return pictured(post, link, date, cover);
    return post.html === null
      ? titled(post, link, date)
      : note(post, link, date, shownContent(platen, blog, post.html, number === 0));
  };
  return html`<div class="h-feed">
<data class="p-name" value="${name}"></data>
<p class="p-author h-card" hidden><a class="p-name u-url u-uid" href="${blogUrl(platen, blog)}">${accountById(platen, blog.accountId)?.name}</a></p>
${posts.map(entry)}
</div>`;
}

function titled(post: PublicPost, link: string, date: Html): Html {
  const summary = summaryOf(post, LONGEST_EXCERPT);
  return html`<article class="h-entry">
<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>
${summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta">${date}</p>
</article>`;
}

function note(post: PublicPost, link: string, date: Html, content: Html): Html {
  return html`<article class="h-entry note">
${replyContext(post.properties)}
<div dir="auto" class="e-content prose">${content}</div>
<p class="meta"><a class="u-url" href="${link}">${date}</a></p>
</article>`;
}

/** Where there is a title, the picture leads where that leads: nobody needs to hear of it twice. */
function pictured(post: PublicPost, link: string, date: Html, cover: Html): Html {
  if (post.title)
    return html`<article class="h-entry">
<a class="cover" href="${link}" tabindex="-1" aria-hidden="true">${cover}</a>
<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>
<p class="meta">${date}</p>
</article>`;
  const summary = summaryOf(post, LONGEST_LEGEND);
  return html`<article class="h-entry">
<a class="cover u-url" href="${link}" aria-label="${nameOf(post)}">${cover}</a>
${summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta">${date}</p>
</article>`;
}
