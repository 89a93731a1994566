import type { komments } from "../database/schema";
import { isLive, type Post } from "../posts/post/post";
import { EDIT_WINDOW_MS } from "./komment-limits";

export type Komment = typeof komments.$inferSelect;
export type KommentStatus = Komment["status"];

export function takesKomments(post: Post, at: Date): boolean {
  return isLive(post, at) && post.blog.kommentsOpen && !post.kommentsDisabled;
}

export function isChangeable(komment: Pick<Komment, "createdAt" | "status">, at: Date): boolean {
  return komment.status !== "refused" && at.getTime() - komment.createdAt.getTime() < EDIT_WINDOW_MS;
}
