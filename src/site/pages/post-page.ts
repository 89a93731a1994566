import { accountById } from "../../accounts/accounts";
import { postUrl } from "../../blogs/permalinks";
import { type Html, type HtmlValue, html } from "../../html";
import { mediaPath } from "../../media/media-urls";
import type { Platen } from "../../platen";
import { peopleAndSyndication, replyContext } from "../../posts/content/reply-context";
import type { Post } from "../../posts/post/post";
import { previewImage } from "../../posts/post/preview-image";
import { changedAt } from "../../posts/reading/public-lists";
import { type Tag, tagsWithAddress } from "../../posts/side-tables/tags";
import { shownContent } from "../images/content-images";
import { pictureOf } from "../images/link-preview";
import { contactSection } from "../komments/contact-form";
import { kommentSection } from "../komments/komment-list";
import { blogLayout, blogPath, type Page } from "../layout/layout";
import { postData } from "../layout/linked-data";
import type { Article } from "../layout/social-tags";
import { dateWriter } from "../text/dates";
import { nameOf, summaryOf } from "../text/titles";

/** In characters; search engines show about as much. */
const LONGEST_DESCRIPTION = 160;

/** One live post or page, whole. */
export function postPage(platen: Platen, post: Post): Html {
  const picture = pictureOf(platen, post);
  return blogLayout(platen, post.blog, {
    ...headOf(post),
    canonical: postUrl(platen, post.blog, post),
    isUnlisted: post.noIndexNoFollow,
    picture,
    article: post.type === "post" ? articleOf(post) : undefined,
    data: postData(platen, post, picture),
    main: article(platen, post, blogPath(platen, post.blog), [
      contactSection(platen, post),
      kommentSection(platen, post),
    ]),
  });
}

export function headOf(post: Post): Pick<Page, "title" | "description"> {
  return { title: nameOf(post), description: summaryOf(post, LONGEST_DESCRIPTION) };
}

function articleOf(post: Post): Article {
  return {
    publishedAt: post.publishedAt as Date,
    changedAt: changedAt(post),
    category: post.category?.name,
    tags: post.tags,
  };
}

/**
 * The post itself, as an h-entry (microformats.org/wiki/h-entry).
 * @param base what links into the blog begin with
 * @param answers what readers wrote to it, and can
 */
export function article(platen: Platen, post: Post, base: string, answers: HtmlValue = null): Html {
  const tags = tagsWithAddress(platen, post.id);
  return html`<article class="h-entry">
${post.title ? html`<h1 class="p-name">${post.title}</h1>` : null}
${post.type === "post" ? byline(platen, post, base) : null}
${photo(post)}${replyContext(post.properties)}
${post.html ? html`<div dir="auto" class="e-content prose">${shownContent(platen, post.blog, post.html, true)}</div>` : null}
${peopleAndSyndication(post.properties)}
${tags.length > 0 ? tagList(tags, base) : null}
${answers}
</article>`;
}

/** A post that is not published has no time to show. */
function byline(platen: Platen, post: Post, base: string): Html {
  const { blog, category, publishedAt, status } = post;
  const author = accountById(platen, blog.accountId)?.name;
  const date = status === "published" && publishedAt && dateWriter(blog)(publishedAt);
  return html`<p class="meta">${date && html`<a class="u-url" href="${base}${post.slug}">${date}</a>`}
<a class="p-author h-card" href="${base}">${author}</a>
${category ? html`<a class="p-category" rel="tag" href="${base}category/${category.slug}">${category.name}</a>` : null}</p>`;
}

/** Who reads microformats takes a post with a photo for a photo, whatever its title; an article's picture is `featured`. */
function photo(post: Post): Html | null {
  const blob = previewImage(post);
  if (!blob) return null;
  return html`<data class="${post.title ? "u-featured" : "u-photo"}" value="${mediaPath(blob)}"></data>`;
}

function tagList(tags: Pick<Tag, "name" | "slug">[], base: string): Html {
  return html`<ul class="tags" aria-label="Tags">${tags.map(
    ({ name, slug }) => html`<li><a class="p-category" rel="tag" href="${base}tag/${slug}">${name}</a></li>`,
  )}</ul>`;
}
