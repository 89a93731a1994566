import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { isLive, type PostRow } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import type { Times } from "./times";

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
