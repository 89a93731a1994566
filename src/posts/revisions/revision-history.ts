import { desc, eq, sql } from "drizzle-orm";
import { revisions } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Content, Post, PostRow, SavedBy } from "../post/post";

const MAX_LISTED = 500;
/** Fields that `storeRevision` stores. `madeBy` is set once the previous revision was pruned. */
export type RevisionFields = Partial<Omit<Post, "category">> &
  Partial<Pick<Content, "source" | "sourceType">> & {
    /** Name, because the category may be deleted. */
    category?: string | null;
    replacedBy?: SavedBy | null;
    madeBy?: SavedBy | null;
  };

/** How a save changed the status or the sharing; "saved" if it changed neither, or if this is unknown. */
export type SavedAs = "saved" | PostRow["status"] | "scheduled" | "shared" | "unshared";

interface Version {
  id: number;
  title: string;
  madeAt: Date;
  madeAs: SavedAs;
  madeBy: SavedBy | null;
}

export interface RevisionHistory {
  presentBy: SavedBy | null;
  presentAs: SavedAs;
  past: Version[];
}

export function revisionHistory(platen: Platen, post: Post): RevisionHistory {
  const rows = shownRows(platen, post);
  return {
    presentBy: rows.length === 0 ? post.madeBy : (rows[0]?.replacedBy ?? null),
    presentAs: savedAs(post, rows[0]),
    past: rows.map((row, index) => {
      const { id, title, updatedAt, madeBy } = row;
      const isFirst = index === rows.length - 1 && rows.length < MAX_LISTED;
      const by = madeBy ?? (isFirst ? post.madeBy : rows[index + 1]?.replacedBy) ?? null;
      // If `madeBy` is set, the previous revision was pruned, so the changes of this save are unknown.
      const madeAs = madeBy ? "saved" : savedAs(row, rows[index + 1]);
      return { id, title: title ?? "", madeAt: new Date(updatedAt), madeAs, madeBy: by };
    }),
  };
}

type State = Record<"updatedAt" | "publishedAt", Date | string | null> & Pick<ShownRow, "status" | "shareId">;

function savedAs(after: State, before: State | undefined): SavedAs {
  if (!before?.status || !after.status) return "saved";
  if (after.status !== before.status) return wasScheduled(after) ? "scheduled" : after.status;
  if (after.shareId === before.shareId) return "saved";
  return after.shareId === null ? "unshared" : "shared";
}

function wasScheduled({ status, updatedAt, publishedAt }: State): boolean {
  return status === "published" && new Date(publishedAt ?? 0) > new Date(updatedAt ?? 0);
}

interface ShownRow {
  id: number;
  title: string | null;
  updatedAt: string;
  publishedAt: string | null;
  madeBy: SavedBy | null;
  replacedBy: SavedBy | null;
  status: PostRow["status"] | null;
  shareId: string | null;
}

function shownRows({ db }: Platen, { id: postId }: Post): ShownRow[] {
  const isOfPost = eq(revisions.postId, postId);
  const found = db.select({ id: revisions.id, fields: SHOWN }).from(revisions).where(isOfPost);
  const rows = found.orderBy(desc(revisions.id)).limit(MAX_LISTED).all();
  return rows.map(({ id, fields }) => {
    const [title, updatedAt, publishedAt, madeBy, replacedBy, status, shareId] = JSON.parse(fields);
    return { id, title, updatedAt, publishedAt, madeBy, replacedBy, status, shareId };
  });
}

const SHOWN = sql<string>`json_extract(${revisions.fields}, '$.title', '$.updatedAt', '$.publishedAt', '$.madeBy', '$.replacedBy', '$.status', '$.shareId')`;
