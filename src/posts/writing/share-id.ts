import { newSecretText } from "../../secrets";
import type { Post } from "../post/post";

/** Bytes of randomness in a share id. */
const LENGTH = 16;

/** The unguessable name of a post's share link, kept for as long as the post stays shared; null: it has none. */
export function shareIdAfter(before: Post | null, isShared: boolean | undefined): string | null {
  if (isShared === undefined) return before?.shareId ?? null;
  return isShared ? (before?.shareId ?? newSecretText(LENGTH)) : null;
}
