import { blogUrl, postUrl } from "../blogs/permalinks";
import { mediaPath } from "../media/files/media-urls";
import type { Platen } from "../platen";
import { MAX_EXCERPT_LENGTH } from "../posts/content/plain-text-and-excerpts";
import { insertBaseUrl } from "../posts/post/mf2-properties";
import { altTextOf, contentWarning, isLive, languageOf, type Post } from "../posts/post/post";
import { contentOf } from "../posts/storage/stored-posts";
import { tagsWithSlugs } from "../posts/storage/topics";
import { html } from "../text/html";
import { withAbsoluteAddresses } from "../text/web-urls";
import { type Json, PUBLIC } from "./activity-streams";
import { actorId, type BlogActor, fediverseSettings, followersOf, objectId } from "./blog-actors";
import { linkMentions, type Mention } from "./mentions";

/** Mastodon shows at most four attachments. */
const MAX_ATTACHMENTS = 4;
/** Longer content is sent without `contentMap`, which repeats the content. */
const MAX_MAPPED_LENGTH = 100_000;

export function isFederated(post: Post, at: Date): boolean {
  const isListed = post.type === "post" && !post.hidden && !post.hideInRss;
  return isLive(post, at) && isListed && post.reach?.fediverse !== false;
}

export function postObject(
  platen: Platen,
  actor: BlogActor,
  post: Post,
  generation: number,
  mentions: Mention[],
): Json {
  const { blog, title, publishedAt, updatedAt } = post;
  const url = postUrl(platen, blog, post);
  const stored = insertBaseUrl(contentOf(platen, post.id).html, platen.config.url);
  const isArticle = title !== "" && !fediverseSettings(blog)?.wholeNotes;
  const heading = title !== "" && !isArticle ? html`<h2>${title}</h2>`.markup : "";
  const content = heading + linkMentions(withAbsoluteAddresses(stored, url), mentions);
  const published = (publishedAt as Date).toISOString();
  const warning = contentWarning(post);
  const id = actorId(actor);
  return {
    id: objectId(actor, post.id, generation),
    type: isArticle ? "Article" : "Note",
    attributedTo: id,
    ...(isArticle && { name: title }),
    ...(warning && { summary: warning }),
    sensitive: warning !== "",
    url,
    content,
    ...(content.length <= MAX_MAPPED_LENGTH && { contentMap: { [languageOf(post, blog)]: content } }),
    published,
    ...(updatedAt > (publishedAt as Date) && { updated: updatedAt.toISOString() }),
    to: [PUBLIC],
    cc: [followersOf(actor), ...mentions.map(({ href }) => href)],
    ...(isArticle && { preview: previewNote(post, id, url, published) }),
    attachment: picturesOf(platen, post),
    tag: [
      ...hashtagsOf(platen, post),
      ...mentions.map(({ handle, href }) => ({ type: "Mention", href, name: handle })),
    ],
  };
}

/** For servers that do not support articles (FEP-b2b8). */
function previewNote(post: Post, attributedTo: string, url: string, published: string): Json {
  const isHidden = contentWarning(post) !== "";
  const text = isHidden ? "" : (post.summary ?? post.excerpt ?? "").slice(0, MAX_EXCERPT_LENGTH);
  const content = html`<p><strong>${post.title}</strong></p>${text && html`<p>${text}</p>`}<p><a href="${url}">${url}</a></p>`;
  return { type: "Note", attributedTo, content: content.markup, published };
}

function picturesOf(platen: Platen, post: Post): Json[] {
  return post.attachments
    .map(({ blob }) => blob)
    .filter(({ mediaType }) => mediaType === "image")
    .slice(0, MAX_ATTACHMENTS)
    .map((blob) => ({
      type: "Image",
      mediaType: blob.contentType,
      url: platen.config.url + mediaPath(blob),
      name: altTextOf(blob, post.altText),
      ...(blob.width && blob.height && { width: blob.width, height: blob.height }),
    }));
}

function hashtagsOf(platen: Platen, post: Post): Json[] {
  return tagsWithSlugs(platen, post.id).flatMap(({ name, slug }) => {
    const word = hashtag(name);
    return word ? [{ type: "Hashtag", name: word, href: `${blogUrl(platen, post.blog)}tag/${slug}` }] : [];
  });
}

function hashtag(name: string): string {
  const words = name.split(/[^\p{L}\p{M}\p{N}_]+/u).filter((word) => word !== "");
  const [first = "", ...rest] = words;
  if (first === "") return "";
  if (rest.length === 0) return `#${first}`;
  return `#${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")}`;
}
