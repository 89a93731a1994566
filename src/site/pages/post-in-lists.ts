import { accountById } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { replyContext } from "../../posts/content/reply-context";
import type { PublicPost } from "../../posts/reading/public-posts";
import { type Html, type HtmlValue, html } from "../../text/html";
import { contentForPage } from "../images/content-images";
import { type Cover, coversOf } from "../images/cover-images";
import { blogPath } from "../layout/layout";
import { dateWriter } from "../text/dates";
import { inEnglish } from "../text/language";
import { displayTitle, MAX_META_DESCRIPTION, summaryOf } from "../text/title-and-summary";

const MAX_LIST_EXCERPT = 220;
const MAX_COVER_EXCERPT = 100;

/**
 * A list of posts, as an h-feed (microformats.org/wiki/h-feed).
 * @param name of the h-feed, not visible
 * @param pinned shown first, with a label
 */
export function postList(
  platen: Platen,
  blog: Blog,
  name: string,
  posts: PublicPost[],
  pinned: PublicPost[] = [],
): Html {
  const written = dateWriter(blog);
  const base = blogPath(platen, blog);
  const all = [...pinned, ...posts];
  const covers = coversOf(platen, blog, all);
  const entry = (post: PublicPost, number: number) => {
    const date = written(post.publishedAt as Date);
    const pin = number < pinned.length && html`<span>${inEnglish(blog, "Pinned")}</span>`;
    const link = base + post.slug;
    const cover = covers.get(post.id);
    if (cover) return coverEntry(platen, post, link, date, pin, cover);
    return post.title
      ? titledEntry(platen, post, link, date, pin)
      : noteEntry(platen, post, link, date, pin, (content) => contentForPage(blog, content, number === 0));
  };
  return html`<div class="h-feed">
<data class="p-name" value="${name}"></data>
<p class="p-author h-card" hidden><a class="p-name u-url u-uid" href="${blogUrl(platen, blog)}">${accountById(platen, blog.accountId)?.name}</a></p>
${all.map(entry)}
</div>`;
}

/** Meta description of a page with a list. */
export function firstSummary(platen: Platen, [post]: PublicPost[]): string | undefined {
  return post && summaryOf(platen, post, MAX_META_DESCRIPTION);
}

function titledEntry(platen: Platen, post: PublicPost, link: string, date: Html, pinned: HtmlValue): Html {
  const summary = summaryOf(platen, post, MAX_LIST_EXCERPT);
  return html`<article class="h-entry">
<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>
${summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta">${date}${pinned}</p>
</article>`;
}

function noteEntry(
  platen: Platen,
  post: PublicPost,
  link: string,
  date: Html,
  pinned: HtmlValue,
  content: (html: string) => Html,
): Html {
  const summary = post.html === null ? summaryOf(platen, post, MAX_LIST_EXCERPT) : post.summary;
  return html`<article class="h-entry note">
${replyContext(post.properties)}
${post.html ? html`<div dir="auto" class="e-content prose">${content(post.html)}</div>` : summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta"><a class="u-url" href="${link}">${date}</a>${pinned}</p>
</article>`;
}

/** With a title, the cover is a second link to the post, which screen readers and the Tab key skip. */
function coverEntry(
  platen: Platen,
  post: PublicPost,
  link: string,
  date: Html,
  pinned: HtmlValue,
  { image, mark }: Cover,
): Html {
  if (post.title)
    return html`<article class="h-entry">
<a class="cover" href="${link}" tabindex="-1" aria-hidden="true"${mark}>${image}</a>
<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>
<p class="meta">${date}${pinned}</p>
</article>`;
  const summary = summaryOf(platen, post, MAX_COVER_EXCERPT);
  return html`<article class="h-entry">
<a class="cover u-url" href="${link}" aria-label="${displayTitle(platen, post)}"${mark}>${image}</a>
${summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta">${date}${pinned}</p>
</article>`;
}
