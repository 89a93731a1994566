import { findRowBy } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";

const withId = findRowBy(posts, ["id"]);

/** Includes posts in the trash. */
export function postRow(platen: Platen, id: number | null): PostRow | undefined {
  return id === null ? undefined : withId(platen, { id });
}
