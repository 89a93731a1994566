import { accountById } from "../../accounts/accounts";
import { themeOf } from "../../blogs/appearance/folder-themes";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { replyContext } from "../../posts/content/reply-context";
import { resolveNavigation } from "../../posts/linked/navigation-and-home";
import { languageOf } from "../../posts/post/post";
import type { PublicPost } from "../../posts/reading/public-posts";
import { categoryById } from "../../posts/topics/topics";
import { type Html, html } from "../../text/html";
import { say } from "../../text/words/words";
import { contentForPage } from "../images/content-images";
import { type Cover, coversOf } from "../images/cover-images";
import { blogPath } from "../layout/layout";
import { dateWriter } from "../text/dates";
import { blogInLanguageOf, partLanguage } from "../text/language";
import { behindWarning, displayTitle, MAX_META_DESCRIPTION, summaryOf } from "../text/title-and-summary";

const MAX_LIST_EXCERPT = 220;
const MAX_COVER_EXCERPT = 100;
const MAX_COVER_SUMMARY = 150;

const LEAD_POSTS = 6;

/**
 * Marked up as an h-feed (microformats.org/wiki/h-feed).
 * @param name name of the h-feed, which browsers do not show
 */
export function postList(
  platen: Platen,
  blog: Blog,
  name: string,
  posts: PublicPost[],
  pinned: PublicPost[] = [],
): Html {
  const entry = entryWriter(platen, blog, [...pinned, ...posts], pinned.length);
  return html`<div class="h-feed posts lead">
${feedProperties(platen, blog, name)}
${[...pinned, ...posts].map((post) => entry(post))}
</div>`;
}

/**
 * Sections: the categories in the navigation, then notes, then all other posts. With few titled posts, there
 * is a single list.
 */
export function postSections(
  platen: Platen,
  blog: Blog,
  name: string,
  posts: PublicPost[],
  pinned: PublicPost[] = [],
): Html {
  const all = [...pinned, ...posts];
  const titled = all.filter(({ title }) => title !== "");
  if (titled.length <= LEAD_POSTS) return postList(platen, blog, name, posts, pinned);
  const entry = entryWriter(platen, blog, all, pinned.length);
  const lead = new Set(titled.slice(0, LEAD_POSTS));
  const remaining = new Set(all.filter((post) => !lead.has(post)));
  const takePosts = (belongs: (post: PublicPost) => boolean) => {
    const matches = [...remaining].filter(belongs);
    for (const post of matches) remaining.delete(post);
    return matches;
  };
  const base = blogPath(platen, blog);
  const sections = resolveNavigation(platen, blog).flatMap(({ link, path, isShown }) => {
    if (!("categoryId" in link) || !isShown || path === null) return [];
    const heading = html`<a href="${base}${path}">${link.label}</a>`;
    return [
      {
        heading,
        kind: "",
        posts: takePosts((post) => post.categoryId === link.categoryId && post.title !== ""),
      },
    ];
  });
  sections.push({
    heading: say(blog, "notes"),
    kind: " notes",
    posts: takePosts(({ title }) => title === ""),
  });
  sections.push({ heading: say(blog, "more"), kind: "", posts: [...remaining] });
  return html`<div class="h-feed">
${feedProperties(platen, blog, name)}
<div class="posts lead">
${[...lead].map((post) => entry(post))}
</div>
${sections.map(
  (section) =>
    section.posts.length > 0 &&
    html`<section class="section${section.kind}"><h2 class="label">${section.heading}</h2>
<div class="posts">
${section.posts.map((post) => entry(post))}
</div></section>
`,
)}</div>`;
}

function feedProperties(platen: Platen, blog: Blog, name: string): Html {
  return html`<data class="p-name" value="${name}"></data>
<p class="p-author h-card" hidden><a class="p-name u-url u-uid" href="${blogUrl(platen, blog)}">${accountById(platen, blog.accountId)?.name}</a></p>`;
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
    return post.title && post.html === null
      ? titledEntry(platen, entry)
      : noteEntry(platen, entry, (content) =>
          contentForPage(platen, blogInLanguageOf(post, blog), content, number === 0),
        );
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

function noteEntry(
  platen: Platen,
  { post, link, date, badges, article, meta }: Entry,
  content: (html: string) => Html,
): Html {
  const summary = post.html === null ? summaryOf(platen, post, MAX_LIST_EXCERPT) : post.summary;
  return html`<article class="h-entry${!post.title && " note"}"${article}>
${post.title && html`<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>`}
${replyContext(post.properties)}
${post.html ? html`<div dir="auto" class="e-content prose">${behindWarning(post, content(post.html))}</div>` : summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta"${meta}><a class="u-url" href="${link}">${date}</a>${badges}</p>
</article>`;
}

/**
 * The cover of a post with a title is a second link to the post, so screen readers and the Tab key skip it.
 */
function coverEntry(
  platen: Platen,
  { post, link, date, badges, article, meta }: Entry,
  { image, mark }: Cover,
  hasSummary: boolean,
): Html {
  if (post.title) {
    const summary = hasSummary && summaryOf(platen, post, MAX_COVER_SUMMARY);
    return html`<article class="h-entry"${article}>
<a class="cover" href="${link}" tabindex="-1" aria-hidden="true"${mark}>${image}</a>
<h2 class="p-name"><a class="u-url" href="${link}">${post.title}</a></h2>
${summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta"${meta}>${date}${badges}</p>
</article>`;
  }
  const summary = summaryOf(platen, post, MAX_COVER_EXCERPT);
  return html`<article class="h-entry"${article}>
<a class="cover u-url" href="${link}" aria-label="${displayTitle(platen, post)}"${mark}>${image}</a>
${summary && html`<p class="p-summary">${summary}</p>`}
<p class="meta"${meta}>${date}${badges}</p>
</article>`;
}
