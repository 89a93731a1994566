import { type Blog, blogUrl, ownerName, postUrl } from "../../blogs/blogs";
import { mediaPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { peopleAndSyndication, replyContext } from "../../posts/content/reply-context";
import { isLive, languageOf, type Post, previewImage } from "../../posts/post/post";
import { publicTopic } from "../../posts/reading/public-posts";
import { type Topic, type TopicKind, tagsWithSlugs } from "../../posts/storage/categories-and-tags";
import { contentOf } from "../../posts/storage/stored-posts";
import { type Translation, translationsOf } from "../../posts/storage/translations";
import { documentUri } from "../../syndication/standard-site";
import { SERVICE_LABELS, sentCopies } from "../../syndication/stored-copies";
import { type Html, type HtmlValue, html, raw } from "../../text/html";
import { withAbsoluteAddresses } from "../../text/web-urls";
import { say, type Word, word } from "../../text/words/words";
import { contentOfPage } from "../images/post-images";
import { linkPreview } from "../images/title-cards-and-icons";
import { contactSection } from "../komments/komment-and-contact-forms";
import { kommentSection, reactionLine } from "../komments/komment-section";
import { activityLink, blogLayout, blogPath } from "../layout/layout";
import { adjacentPostLinks } from "../layout/pagination-and-search-form";
import { blogData, postData } from "../layout/social-tags-and-discovery";
import {
  alternateLink,
  alternates,
  behindWarning,
  blogInLanguageOf,
  dateWriter,
  directionOf,
  displayTitle,
  languageName,
  MAX_META_DESCRIPTION,
  partLanguage,
  summaryOf,
} from "../titles-dates-and-languages";
import { relatedSection, seriesLine, seriesSection } from "./series-and-related-posts";

/** @param activityUrl URL of the post's fediverse document; null if it has none */
export function postPage(platen: Platen, post: Post, activityUrl: string | null = null): Html {
  const { blog } = post;
  const preview = linkPreview(platen, post);
  const isHome = blog.homePostId === post.id;
  const base = blogPath(platen, blog);
  const translations = translationsOf(platen, blog, [post]).get(post.id) ?? [];
  const documentUrl = documentUri(platen, post);
  return blogLayout(platen, blog, {
    ...titleAndDescription(platen, post),
    ...(isHome && { isHome, isHeaded: true, title: undefined }),
    canonical: isHome ? blogUrl(platen, blog) : postUrl(platen, blog, post),
    isUnlisted: post.noIndexNoFollow,
    links: html`${activityLink(activityUrl)}${alternates(translations).map(alternateLink)}${documentUrl && html`<link rel="site.standard.document" href="${documentUrl}">\n`}`,
    preview,
    article: post.type === "post" ? post : undefined,
    data: isHome ? blogData(platen, blog) : postData(platen, post, preview),
    main: article(platen, post, contentForReaders(platen, post), base, {
      translations,
      below: [
        seriesSection(platen, post, base),
        relatedSection(platen, post, base),
        post.type === "post" && adjacentPostLinks(platen, post, base),
        contactSection(platen, post),
        reactionLine(platen, post),
        kommentSection(platen, post),
      ],
    }),
  });
}

export function contentForReaders(platen: Platen, post: Post): Html | null {
  return contentOfPage(platen, blogInLanguageOf(post, post.blog), contentOf(platen, post.id).html);
}

function translationLine({ id, blog }: Post, translations: Translation[]): Html | null {
  const others = translations.filter((one) => one.id !== id);
  if (others.length === 0) return null;
  const links = others.map(
    ({ language, url }, at) =>
      html`${at > 0 && " · "}<a rel="alternate" hreflang="${language}" href="${url}"${partLanguage(language, blog.language)}>${languageName(language)}</a>`,
  );
  return html`<p class="translations">${say(blog, "alsoIn")} ${links}</p>`;
}

function titleAndDescription(platen: Platen, post: Post) {
  return {
    title: displayTitle(platen, post),
    description: summaryOf(platen, post, MAX_META_DESCRIPTION),
    language: languageOf(post, post.blog),
  };
}

type Extras = { translations?: Translation[]; below?: HtmlValue };

/** Marked up as an h-entry (microformats.org/wiki/h-entry). */
function article(platen: Platen, post: Post, content: Html | null, base: string, extras: Extras = {}) {
  const { translations = [], below } = extras;
  const tags = tagsWithSlugs(platen, post.id);
  const language = languageOf(post, post.blog);
  const languageAttributes = partLanguage(language, post.blog.language);
  const direction = post.language === null ? "auto" : directionOf(language);
  return html`<article class="h-entry">
${post.title ? html`<h1 class="p-name"${languageAttributes}>${post.title}</h1>` : html`<h1 class="spoken"${languageAttributes}>${displayTitle(platen, post)}</h1>`}
${post.type === "post" ? byline(platen, post, base) : hiddenByline(platen, post, base)}
${translationLine(post, translations)}
${seriesLine(platen, post)}
${imageProperty(post)}${replyContext(post.properties)}
${content && html`<div${languageAttributes ?? html` dir="${direction}"`} class="e-content prose">${behindWarning(post, content)}</div>`}${summaryProperty(post, content !== null, languageAttributes)}
${peopleAndSyndication(post.properties)}${copiesLine(platen, post)}
${tags.length > 0 ? html`<ul class="tags" aria-label="${word(post.blog, "tags")}">${tags.map((tag) => html`<li>${topic(platen, post.blog, "tag", tag, base)}</li>`)}</ul>` : null}
${below}
</article>`;
}

function byline(platen: Platen, post: Post, base: string): Html {
  const { blog, category, publishedAt, status } = post;
  const date = status === "published" && publishedAt && dateWriter(blog)(publishedAt);
  const minutes = blog.design.readingTime && readingMinutes(contentOf(platen, post.id).text);
  return html`<p class="meta">${date && html`<a class="u-url" href="${base}${post.slug}">${date}</a>`}
<a class="p-author h-card" href="${base}">${ownerName(platen, blog)}</a>
${category && topic(platen, blog, "category", category, base)}${minutes && html` <span>${say(blog, "readingTime", { minutes })}</span>`}</p>`;
}

/** For microformats parsers only. Readers do not see the URL and the author. */
function hiddenByline(platen: Platen, { blog, slug }: Post, base: string): Html {
  return html`<p hidden><data class="u-url" value="${base}${slug}"></data><a class="p-author h-card" href="${base}">${ownerName(platen, blog)}</a></p>`;
}

/** With `u-photo`, parsers would take a titled post for a photo (indieweb.org/post-type-discovery). */
function imageProperty(post: Post): Html | null {
  const blob = previewImage(post);
  if (!blob) return null;
  return html`<data class="${post.title ? "u-featured" : "u-photo"}" value="${mediaPath(blob)}"></data>`;
}

function summaryProperty({ summary }: Post, hasContent: boolean, languageAttributes: Html | null): HtmlValue {
  if (!summary) return null;
  return hasContent
    ? html`<data class="p-summary" value="${summary}"></data>`
    : html`<p class="p-summary"${languageAttributes}>${summary}</p>`;
}

function copiesLine(platen: Platen, { id, blog }: Post): Html | null {
  const copies = sentCopies(platen, id);
  if (copies.length === 0) return null;
  const links = copies.map(
    ({ service, url }, at) =>
      html`${at > 0 && ", "}<a class="u-syndication" rel="syndication" href="${url}">${SERVICE_LABELS[service]}</a>`,
  );
  return html`<div class="context"><p>${word(blog, "alsoOn")} ${links}</p></div>`;
}

type NameAndSlug = Pick<Topic, "name" | "slug">;

function topic(platen: Platen, blog: Blog, kind: TopicKind, { name, slug }: NameAndSlug, base: string) {
  return publicTopic(platen, blog, kind, slug)
    ? html`<a class="p-category" rel="tag" href="${base}${kind}/${slug}">${name}</a>`
    : html`<span class="p-category">${name}</span>`;
}

export function sharePage(platen: Platen, post: Post): Html {
  return unlistedPage(platen, post, contentForReaders(platen, post), say(post.blog, "onlyWithLink"));
}

/** @param reason why this reader can see the post, as a sentence */
export function unlistedPage(platen: Platen, post: Post, content: Html | null, reason: HtmlValue) {
  // The share link may be on another host than the blog.
  const base = blogUrl(platen, post.blog);
  const isPublic = isLive(post, platen.now());
  const { headerHtml, footerHtml } = post.blog;
  const blog = {
    ...post.blog,
    headerHtml: withAbsoluteAddresses(headerHtml, base),
    footerHtml: withAbsoluteAddresses(footerHtml, base),
  };
  const { markup } = article(platen, post, content, base);
  const shown = withAbsoluteAddresses(markup, postUrl(platen, post.blog, post));
  return blogLayout(platen, blog, {
    ...titleAndDescription(platen, post),
    canonical: isPublic ? postUrl(platen, post.blog, post) : undefined,
    isUnlisted: true,
    base,
    main: html`${isPublic ? null : html`<p class="notice">${say(post.blog, stateWord(post))} ${reason}</p>`}
${raw(shown)}`,
  });
}

function stateWord({ status }: Post): Word {
  if (status === "draft") return "isDraft";
  return status === "archived" ? "isArchived" : "isScheduled";
}

const WORDS_PER_MINUTE = 230;
const CHARACTERS_PER_MINUTE = 500;
const CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const WORD = /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** At least 1. In Chinese, Japanese and Korean, characters are counted instead of words. */
function readingMinutes(text: string): number {
  const characters = text.match(CHARACTER)?.length ?? 0;
  const words = text.match(WORD)?.length ?? 0;
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE));
}
