import { isNull } from "drizzle-orm";
import { rowWith } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { postOfRow } from "../parts/whole-post";
import type { Post } from "../post/post";

const postWithShareId = rowWith(posts, ["shareId"], isNull(posts.deletedAt));

/** The post that its owner shares by this id, in whatever state it is (contract.md 4). */
export function sharedPost(platen: Platen, shareId: string): Post | undefined {
  const row = postWithShareId(platen, { shareId });
  return row && postOfRow(platen, row);
}
