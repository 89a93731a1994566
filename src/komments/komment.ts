import type { komments } from "../database/schema";
import { isLive } from "../posts/post/live";
import type { Post } from "../posts/post/post";
import { EDIT_WINDOW_MS } from "./reader-input";

export type Komment = typeof komments.$inferSelect;
export type KommentStatus = Komment["status"];

/** May readers write komments on it? Those shown already stay where this ends. */
export function takesKomments(post: Post, at: Date): boolean {
  return isLive(post, at) && post.blog.kommentsOpen && !post.kommentsDisabled;
}

/** May its writer still change it? What the owner has refused stays as it is. */
export function isChangeable(komment: Pick<Komment, "createdAt" | "status">, at: Date): boolean {
  return komment.status !== "refused" && at.getTime() - komment.createdAt.getTime() < EDIT_WINDOW_MS;
}
