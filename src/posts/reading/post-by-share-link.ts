import { and, eq, isNull, sql } from "drizzle-orm";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { postOfRow } from "../parts/whole-post";
import type { Post } from "../post/post";

const postWithShareId = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(and(eq(posts.shareId, sql.placeholder("shareId")), isNull(posts.deletedAt)))
    .prepare(),
);

/** The post that its owner shares by this id, in whatever state it is (contract.md 4). */
export function sharedPost(platen: Platen, shareId: string): Post | undefined {
  const row = postWithShareId(platen).get({ shareId });
  return row && postOfRow(platen, row);
}
