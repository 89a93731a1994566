import { desc, eq, sql } from "drizzle-orm";
import { revisions } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Content, Post, PostRow, SavedBy } from "../post/post";

/** Of a post, the last: those before are there, and shown once these are thinned out. */
const MOST_SHOWN = 500;
/** What a revision keeps: see keepRevision. `madeBy` stands where the revision before it was thinned out. */
export type RevisionFields = Partial<Omit<Post, "category">> &
  Partial<Pick<Content, "source" | "sourceType">> & {
    /** By its name: it may be gone. */
    category?: string | null;
    replacedBy?: SavedBy | null;
    madeBy?: SavedBy | null;
  };

/** What a save did that restoring does not take back; else it is "saved". */
export type SavedAs = "saved" | PostRow["status"] | "scheduled" | "shared" | "unshared";

/** What a post was from one save to the next. */
interface Version {
  /** Of the revision that keeps it. */
  id: number;
  title: string;
  madeAt: Date;
  madeAs: SavedAs;
  /** Null where nobody is named: in those from before names were kept. */
  madeBy: SavedBy | null;
}

export interface RevisionHistory {
  /** Who made the post what it is now. */
  presentBy: SavedBy | null;
  presentAs: SavedAs;
  /** The last first. */
  past: Version[];
}

export function revisionHistory(platen: Platen, post: Post): RevisionHistory {
  const rows = shownRows(platen, post);
  return {
    presentBy: rows.length === 0 ? post.madeBy : (rows[0]?.replacedBy ?? null),
    presentAs: savedAs(post, rows[0]),
    past: rows.map((row, index) => {
      const { id, title, updatedAt, madeBy } = row;
      const isFirst = index === rows.length - 1 && rows.length < MOST_SHOWN;
      const by = madeBy ?? (isFirst ? post.madeBy : rows[index + 1]?.replacedBy) ?? null;
      // What is before it in the list may be many saves away: those between were thinned out.
      const madeAs = madeBy ? "saved" : savedAs(row, rows[index + 1]);
      return { id, title: title ?? "", madeAt: new Date(updatedAt), madeAs, madeBy: by };
    }),
  };
}

type State = Record<"updatedAt" | "publishedAt", Date | string | null> & Pick<ShownRow, "status" | "shareId">;

/** @param before of a revision from elsewhere, null where it does not say */
function savedAs(after: State, before: State | undefined): SavedAs {
  if (!before?.status || !after.status) return "saved";
  if (after.status !== before.status) return liesAhead(after) ? "scheduled" : after.status;
  if (after.shareId === before.shareId) return "saved";
  return after.shareId === null ? "unshared" : "shared";
}

/** Is it to come out later than it was saved? */
function liesAhead({ status, updatedAt, publishedAt }: State): boolean {
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

/** The last first. */
function shownRows({ db }: Platen, { id: postId }: Post): ShownRow[] {
  const rows = db
    .select({ id: revisions.id, told: SHOWN })
    .from(revisions)
    .where(eq(revisions.postId, postId))
    .orderBy(desc(revisions.id))
    .limit(MOST_SHOWN)
    .all();
  return rows.map(({ id, told }) => {
    const [title, updatedAt, publishedAt, madeBy, replacedBy, status, shareId] = JSON.parse(told);
    return { id, title, updatedAt, publishedAt, madeBy, replacedBy, status, shareId };
  });
}

/** SQL for a JSON list: of what is not kept, null. */
const SHOWN = sql<string>`json_extract(${revisions.fields}, '$.title', '$.updatedAt', '$.publishedAt', '$.madeBy', '$.replacedBy', '$.status', '$.shareId')`;

/** Does it hold the content? If not, the next revision that does holds the same. */
export function hasContent({ fields }: Pick<typeof revisions.$inferSelect, "fields">): boolean {
  return (fields as RevisionFields).source !== undefined;
}
