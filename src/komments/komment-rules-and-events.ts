import { blogById, postUrl } from "../blogs/blogs";
import { MINUTE } from "../config/units";
import type { komments } from "../database/schema";
import { recordEvent } from "../deliveries/events-and-debouncing";
import type { Platen } from "../platen";
import { isLive, type Post } from "../posts/post/post";
import { recordWebhookEvent } from "../webhooks/webhook-events";
import { websiteIn } from "./reader-input";

export type Komment = typeof komments.$inferSelect;
export type KommentStatus = Komment["status"];

/** Writers can delete a komment after this time, but not edit it. */
export const EDIT_WINDOW_MS = 15 * MINUTE;

export function takesKomments(post: Post, at: Date): boolean {
  return isLive(post, at) && post.blog.kommentsOpen && !post.kommentsDisabled;
}

export function isChangeable(komment: Pick<Komment, "createdAt" | "status">, at: Date): boolean {
  return komment.status !== "refused" && at.getTime() - komment.createdAt.getTime() < EDIT_WINDOW_MS;
}

/** Call this in the transaction of the change. */
export function recordNewKomment(platen: Platen, post: Post, komment: Komment): void {
  const { blog, id, slug, title, type, updatedAt } = post;
  if (!blog.kommentEvents || komment.status === "refused") return;
  const { name, address, source, html, origin, originUrl, createdAt: at } = komment;
  recordWebhookEvent(platen, blog, {
    name: "komment.created",
    at,
    post: {
      ...{ id, slug, title, type, updatedAt },
      url: postUrl(platen, blog, post),
      publishedAt: post.publishedAt as Date,
    },
    komment: {
      ...{ id: komment.id, status: komment.status, name, text: source, html },
      // Leaves out e-mail addresses, because only the owner may see them.
      website: address === "" ? null : websiteIn(address),
      origin: origin || "form",
      origin_url: originUrl || null,
    },
  });
}

/** Call this in the transaction that changes, shows, hides or deletes the reply of the owner. */
export function recordAnswerEvent(
  platen: Platen,
  komment: Pick<Komment, "id" | "blogId" | "postId" | "origin" | "remoteActorId">,
): void {
  const { id, blogId, postId, origin, remoteActorId } = komment;
  const reach = blogById(platen, blogId)?.reach;
  const event = { blogId, postId, name: "komment.answered" };
  if (origin === "fediverse" && reach?.fediverse)
    recordEvent(platen, { ...event, channel: "fediverse", payload: `${id} ${remoteActorId}` });
  if (reach?.webmention) recordEvent(platen, { ...event, channel: "webmention" });
}
