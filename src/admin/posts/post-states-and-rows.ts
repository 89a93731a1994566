import { postUrl } from "../../blogs/blogs";
import { pendingKomments } from "../../komments/komment-list";
import { thumbnailPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { altTextOf, isLive, type Post, type PostRow, previewImage } from "../../posts/post/post";
import { withUnsavedChanges } from "../../posts/unsaved-posts";
import { viewsOf } from "../../posts/view-counts";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { type Times, timesFor } from "../layout/times-and-languages";
import { blogPath } from "../layout/visit";

const MAX_NAME_LENGTH = 70;

export function postName(post: Pick<PostRow, "title" | "excerpt" | "slug">): string {
  return post.title || excerpt(post.excerpt ?? "", MAX_NAME_LENGTH) || `Untitled (${post.slug})`;
}

export type PostState = "live" | "scheduled" | "draft" | "archived";

type StatedPost = Pick<PostRow, "status" | "publishedAt" | "deletedAt">;

export function stateOf(post: StatedPost, now: Date): PostState {
  if (post.status !== "published") return post.status;
  return isLive(post, now) ? "live" : "scheduled";
}

/** Describes autosaved changes of a post. */
export function unsavedWords(state: PostState): string {
  return state === "live" ? "Unpublished changes" : "Unsaved changes";
}

export function stateWords(post: StatedPost, now: Date, times: Times): Html {
  const state = stateOf(post, now);
  const words: Record<PostState, Html> = {
    live: html`Published`,
    scheduled: html`Scheduled · ${post.publishedAt && times.near(post.publishedAt)}`,
    draft: html`Draft`,
    archived: html`Archived`,
  };
  return html`<span class="state ${state}">${words[state]}</span>`;
}

export function postRows(platen: Platen, posts: Post[], before?: (post: Post) => Html): Html {
  const [first] = posts;
  if (!first) return html``;
  const now = platen.now();
  const times = timesFor(first.blog, now);
  const ids = posts.map(({ id }) => id);
  const views = viewsOf(platen, ids);
  const waiting = pendingKomments(platen, ids);
  const unsaved = withUnsavedChanges(platen, ids);
  return html`<ul class="rows">
${posts.map(
  (post) => html`<li>${before?.(post)}<div class="what">
<a class="name" href="${blogPath(post.blog, `/posts/${post.id}`)}">${postName(post)}</a>
<p class="about">${stateLink(platen, post, now, times)}${postTime(post, now, times)}${post.category && html`<span>${post.category.name}</span>`}</p>
</div>
<p class="facts">${unsaved.has(post.id) && html`<span class="asks">${unsavedWords(stateOf(post, now))}</span>`}${postFacts(post, views.get(post.id) ?? 0, waiting.get(post.id) ?? 0)}</p>${thumbnail(post)}</li>
`,
)}</ul>`;
}

function thumbnail(post: Post): Html | undefined {
  const blob = previewImage(post);
  if (!blob) return undefined;
  return html`<img class="thumb" src="${thumbnailPath(blob)}" alt="" width="56" height="40" loading="lazy">`;
}

function stateLink(platen: Platen, post: Post, now: Date, times: Times): Html {
  if (stateOf(post, now) !== "live") return stateWords(post, now, times);
  return html`<a class="state live" href="${postUrl(platen, post.blog, post)}">Published<span class="spoken">: view ${postName(post)} on the site</span></a>`;
}

function postTime(post: Post, now: Date, times: Times): Html | null {
  const state = stateOf(post, now);
  if (state === "scheduled") return null;
  if (state === "live" && post.publishedAt) return html`<span>${times.near(post.publishedAt)}</span>`;
  return html`<span>changed ${times.near(post.updatedAt)}</span>`;
}

function postFacts(post: Post, views: number, waiting: number): Html {
  const without = picturesWithoutAlt(post);
  return html`${waiting > 0 && html`<span class="asks">${counted(waiting, "pending komment")}</span>`}${without > 0 && html`<span class="asks">${counted(without, "picture")} without alt text</span>`}${views > 0 && html`<span>${counted(views, "view")}</span>`}`;
}

/** A caption counts as alt text. Pictures with an empty alt text are decorative and are not counted. */
export function picturesWithoutAlt({ attachments, altText }: Post): number {
  const pictures = attachments.filter(({ blob }) => blob.mediaType === "image");
  return pictures.filter(
    ({ blob }) => !Object.hasOwn(altText, blob.filename) && altTextOf(blob, altText) === "",
  ).length;
}

export function countPostsAndPages(posts: { type: "post" | "page" }[]): string {
  const pages = posts.filter(({ type }) => type === "page").length;
  const others = posts.length - pages;
  if (pages === 0) return counted(others, "post");
  return others === 0 ? counted(pages, "page") : `${counted(others, "post")} and ${counted(pages, "page")}`;
}
