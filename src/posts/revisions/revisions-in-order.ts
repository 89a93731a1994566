import { and, desc, eq, gte, isNotNull, lt, or, sql } from "drizzle-orm";
import { revisions } from "../../database/schema";
import { notFound } from "../../errors";
import { nextTurn } from "../../next-turn";
import type { Platen } from "../../platen";
import { fieldsSaid } from "../parts/kept-revisions";
import { presentOf } from "../parts/post-content";
import type { Content, Post, PostRow, SavedBy } from "../post/post";
import { type PostChanges, plainFields } from "../writing/post-changes";

/** Of a post, the last: those before are there, and shown once these are thinned out. */
const MOST_SHOWN = 500;
/** Each keeps up to 300 KB, which are read to find who made it. */
const READ_AT_ONCE = 25;

/** What a revision keeps: see keepRevision. `madeBy` stands where the revision before it was thinned out. */
export type KeptFields = Partial<Omit<Post, "category">> &
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

export interface Versions {
  /** Who made the post what it is now. */
  presentBy: SavedBy | null;
  presentAs: SavedAs;
  /** The last first. */
  past: Version[];
}

export async function versionsOf(platen: Platen, post: Post): Promise<Versions> {
  const rows = await shownRows(platen, post);
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

/** The last first; others come in between. */
async function shownRows({ db }: Platen, { id: postId }: Post): Promise<ShownRow[]> {
  const shown: ShownRow[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; shown.length < MOST_SHOWN; ) {
    const rows = db
      .select({ id: revisions.id, told: SHOWN })
      .from(revisions)
      .where(and(eq(revisions.postId, postId), lt(revisions.id, before)))
      .orderBy(desc(revisions.id))
      .limit(READ_AT_ONCE)
      .all();
    for (const { id, told } of rows) {
      const [title, updatedAt, publishedAt, madeBy, replacedBy, status, shareId] = JSON.parse(told);
      shown.push({ id, title, updatedAt, publishedAt, madeBy, replacedBy, status, shareId });
    }
    if (rows.length < READ_AT_ONCE) break;
    before = shown.at(-1)?.id as number;
    await nextTurn();
  }
  return shown;
}

/** SQL for a JSON list: of what is not kept, null. */
const SHOWN = sql<string>`json_extract(${revisions.fields}, '$.title', '$.updatedAt', '$.publishedAt', '$.madeBy', '$.replacedBy', '$.status', '$.shareId')`;

/** Does it keep what the post said? Else that is what the next one keeps that does. */
export function saysContent({
  fields,
  longId,
}: Pick<typeof revisions.$inferSelect, "fields" | "longId">): boolean {
  return longId !== null || (fields as KeptFields).source !== undefined;
}

/** What a post was. */
interface FormerVersion {
  /** Is what it said, or what the post says now, a long content? See long-contents.ts. */
  isLong: boolean;
  /** All that saving it again brings back: not its state, time and address. @throws Refusal (busy) */
  changesBack(): Promise<PostChanges>;
}

/** @throws Refusal (missing) */
export function formerVersion(platen: Platen, post: Post, id: number): FormerVersion {
  const ofPost = eq(revisions.postId, post.id);
  const chosen = platen.db
    .select()
    .from(revisions)
    .where(and(ofPost, eq(revisions.id, id)))
    .get();
  if (!chosen) throw notFound("revision");
  const fields = chosen.fields as KeptFields;
  const saying = saysContent(chosen) ? chosen : firstSayingAfter(platen, post, id);
  const present = presentOf(platen, post.id);
  const contentInTurns = async () => {
    if (!saying) return { content: await present.sourceInTurns(), contentType: present.sourceType };
    const said = (await fieldsSaid(platen, saying)) as KeptFields;
    return { content: said.source, contentType: said.sourceType };
  };
  return {
    isLong: present.longId !== null || (saying?.longId ?? null) !== null,
    changesBack: async () => ({
      title: fields.title,
      ...(await contentInTurns()),
      category: fields.category,
      tags: fields.tags,
      ...plainFields(fields),
    }),
  };
}

function firstSayingAfter({ db }: Platen, { id: postId }: Post, id: number) {
  const hasSource = sql`json_type(${revisions.fields}, '$.source') IS NOT NULL`;
  return db
    .select()
    .from(revisions)
    .where(
      and(eq(revisions.postId, postId), gte(revisions.id, id), or(isNotNull(revisions.longId), hasSource)),
    )
    .orderBy(revisions.id)
    .limit(1)
    .get();
}
