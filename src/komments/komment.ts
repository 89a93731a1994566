import type { komments } from "../database/schema";
import { isLive, type Post } from "../posts/post/post";
import { EDIT_WINDOW_MS } from "./komment-limits";

export type Komment = typeof komments.$inferSelect;
export type KommentStatus = Komment["status"];

/** Whether readers can write komments. Closing komments hides no existing ones. */
export function takesKomments(post: Post, at: Date): boolean {
  return isLive(post, at) && post.blog.kommentsOpen && !post.kommentsDisabled;
}

/** Whether the writer can still edit the komment. Rejected komments cannot be edited. */
export function isChangeable(komment: Pick<Komment, "createdAt" | "status">, at: Date): boolean {
  return komment.status !== "refused" && at.getTime() - komment.createdAt.getTime() < EDIT_WINDOW_MS;
}
