import { type Blog, blogUrl, ownerName } from "../../blogs/blogs";
import { themeOf } from "../../blogs/folder-themes";
import type { Platen } from "../../platen";
import { replyContext } from "../../posts/content/reply-context";
import { languageOf } from "../../posts/post/post";
import { resolveNavigation } from "../../posts/reading/navigation-and-home";
import type { PublicPost } from "../../posts/reading/public-posts";
import { categoryById } from "../../posts/storage/categories-and-tags";
import { type Html, html } from "../../text/html";
import { say } from "../../text/words/words";
import { type Cover, contentForPage, coversOf } from "../images/post-images";
import { blogPath } from "../layout/layout";
import {
  behindWarning,
  blogInLanguageOf,
  dateWriter,
  displayTitle,
  MAX_META_DESCRIPTION,
  partLanguage,
  summaryOf,
} from "../titles-dates-and-languages";

const MAX_LIST_EXCERPT = 220;
const MAX_COVER_EXCERPT = 100;
const MAX_COVER_SUMMARY = 150;

const LEAD_POSTS = 6;

/**
 * Marked up as an h-feed (microformats.org/wiki/h-feed).
 * @param name name of the h-feed, which browsers do not show
 * @param pinned number of pinned posts, which come first
 */
export function postList(platen: Platen, blog: Blog, name: string, posts: PublicPost[], pinned = 0): Html {
  return html`<div class="h-feed posts lead">
${feedProperties(platen, blog, name)}
${posts.map(entryWriter(platen, blog, posts, pinned))}
</div>`;
}

/** Sections: categories in the navigation, notes, other posts. One list if there are few titled posts. */
export function postSections(platen: Platen, blog: Blog, name: string, posts: PublicPost[], pinned = 0) {
  const titled = posts.filter(({ title }) => title !== "");
  if (titled.length <= LEAD_POSTS) return postList(platen, blog, name, posts, pinned);
  const entry = entryWriter(platen, blog, posts, pinned);
  const lead = new Set(titled.slice(0, LEAD_POSTS));
  let remaining = posts.filter((post) => !lead.has(post));
  const section = (heading: Html, belongs: (post: PublicPost) => boolean, kind = "") => {
    const shown = remaining.filter(belongs);
    remaining = remaining.filter((post) => !shown.includes(post));
    if (shown.length === 0) return null;
    return html`<section class="section${kind}"><h2 class="label">${heading}</h2>
<div class="posts">
${shown.map(entry)}
</div></section>
`;
  };
  const base = blogPath(platen, blog);
  const ofCategories = resolveNavigation(platen, blog).map(({ link, path, isShown }) => {
    if (!("categoryId" in link) || !isShown || path === null) return null;
    const heading = html`<a href="${base}${path}">${link.label}</a>`;
    return section(heading, ({ categoryId, title }) => categoryId === link.categoryId && title !== "");
  });
  const notes = section(say(blog, "notes"), ({ title }) => title === "", " notes");
  return html`<div class="h-feed">
${feedProperties(platen, blog, name)}
<div class="posts lead">
${[...lead].map(entry)}
</div>
${ofCategories}${notes}${section(say(blog, "more"), () => true)}</div>`;
}

function feedProperties(platen: Platen, blog: Blog, name: string): Html {
  return html`<data class="p-name" value="${name}"></data>
<p class="p-author h-card" hidden><a class="p-name u-url u-uid" href="${blogUrl(platen, blog)}">${ownerName(platen, blog)}</a></p>`;
}

function entryWriter(platen: Platen, blog: Blog, all: PublicPost[], pinned: number) {
  const formatDate = dateWriter(blog);
  const base = blogPath(platen, blog);
  const covers = coversOf(platen, blog, all);
  return (post: PublicPost) => {
    const number = all.indexOf(post);
    const category = post.categoryId === null ? undefined : categoryById(platen, post.categoryId);
    const entry: Entry = {
      post,
      link: base + post.slug,
      date: formatDate(post.publishedAt as Date),
      article: partLanguage(languageOf(post, blog), blog.language),
      meta: partLanguage(blog.language, languageOf(post, blog)),
      badges: html`${category && html`<a class="category" href="${base}category/${category.slug}">${category.name}</a>`}${number < pinned && html`<span>${say(blog, "pinned")}</span>`}`,
    };
    const cover = covers.get(post.id);
    if (cover) return coverEntry(platen, entry, cover, themeOf(platen, blog).covers?.hasSummaries ?? false);
    if (post.title && post.html === null) return titledEntry(platen, entry);
    const content =
      post.html && contentForPage(platen, blogInLanguageOf(post, blog), post.html, number === 0);
    return noteEntry(platen, entry, content);
  };
}

interface Entry {
  post: PublicPost;
  link: string;
  date: Html;
  /** `lang` attribute of a post in another language. */
  article: Html | null;
  /** `lang` attribute of the date and category, which are in the blog's language. */
  meta: Html | null;
  badges: Html;
}

export function firstSummary(platen: Platen, [post]: PublicPost[]): string | undefined {
  return post && summaryOf(platen, post, MAX_META_DESCRIPTION);
}

function titledEntry(platen: Platen, { post, link, date, badges, article, meta }: Entry): Html {
  const summary = summaryOf(platen, post, MAX_LIST_EXCERPT);
  return html`<article class="h-entry"${article}>
<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>
${summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta"${meta}>${date}${badges}</p>
</article>`;
}

function noteEntry(platen: Platen, entry: Entry, content: Html | "" | null): Html {
  const { post, link, date, badges, article, meta } = entry;
  const summary = post.html === null ? summaryOf(platen, post, MAX_LIST_EXCERPT) : post.summary;
  return html`<article class="h-entry${!post.title && " note"}"${article}>
${post.title && html`<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>`}
${replyContext(post.properties)}
${content ? html`<div dir="auto" class="e-content prose">${behindWarning(post, content)}</div>` : summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta"${meta}><a class="u-url" href="${link}">${date}</a>${badges}</p>
</article>`;
}

/** The cover of a titled post is a second link to the post, so screen readers and the Tab key skip it. */
function coverEntry(platen: Platen, entry: Entry, { image, mark }: Cover, hasSummary: boolean): Html {
  const { post, link, date, badges, article, meta } = entry;
  const summary = post.title
    ? hasSummary && summaryOf(platen, post, MAX_COVER_SUMMARY)
    : summaryOf(platen, post, MAX_COVER_EXCERPT);
  const cover = post.title
    ? html`<a class="cover" href="${link}" tabindex="-1" aria-hidden="true"${mark}>${image}</a>
<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>`
    : html`<a class="cover u-url" href="${link}" aria-label="${displayTitle(platen, post)}"${mark}>${image}</a>`;
  return html`<article class="h-entry"${article}>
${cover}
${summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta"${meta}>${date}${badges}</p>
</article>`;
}
