import { desc, eq } from "drizzle-orm";
import { revisions } from "../../database/schema";
import { notFound } from "../../errors";
import type { Platen } from "../../platen";
import { fieldsSaid } from "../parts/revisions";
import type { Content, Post, SavedBy, WholePost } from "../post/post";
import type { PostChanges } from "../writing/post-changes";

/** Of a post, the last: those before are there, and shown once these are thinned out. */
const MOST_SHOWN = 500;

/** What a revision keeps: see keepRevision. `madeBy` stands where the revision before it was thinned out. */
export type KeptFields = Partial<Omit<Post, "category">> &
  Partial<Pick<Content, "source" | "sourceType">> & {
    /** By its name: it may be gone. */
    category?: string | null;
    replacedBy?: SavedBy | null;
    madeBy?: SavedBy | null;
  };

/** What a post was from one save to the next. */
export interface Version {
  /** Of the revision that keeps it. */
  id: number;
  title: string;
  madeAt: Date;
  /** Null where nobody is named: in those from before names were kept. */
  madeBy: SavedBy | null;
}

export interface Versions {
  /** Who made the post what it is now. */
  presentBy: SavedBy | null;
  /** The last first. */
  past: Version[];
}

export function versionsOf({ db }: Platen, post: Post): Versions {
  const rows = db
    .select()
    .from(revisions)
    .where(eq(revisions.postId, post.id))
    .orderBy(desc(revisions.id))
    .limit(MOST_SHOWN)
    .all();
  const fieldsAt = (index: number) => rows[index]?.fields as KeptFields | undefined;
  return {
    presentBy: rows.length === 0 ? post.madeBy : (fieldsAt(0)?.replacedBy ?? null),
    past: rows.map(({ id, fields }, index) => {
      const { title = "", updatedAt, madeBy } = fields as KeptFields;
      const isFirst = index === rows.length - 1 && rows.length < MOST_SHOWN;
      const by = madeBy ?? (isFirst ? post.madeBy : fieldsAt(index + 1)?.replacedBy) ?? null;
      return { id, title, madeAt: new Date(updatedAt as unknown as string), madeBy: by };
    }),
  };
}

/** Does it keep what the post said? Else that is what the next one keeps that does. */
export function saysContent({
  fields,
  longId,
}: Pick<typeof revisions.$inferSelect, "fields" | "longId">): boolean {
  return longId !== null || (fields as KeptFields).source !== undefined;
}

/** All of a version that saving it again brings back: not its state, time and address. @throws Refusal (missing) */
export function changesBack(platen: Platen, post: WholePost, id: number): PostChanges {
  const kept = platen.db
    .select()
    .from(revisions)
    .where(eq(revisions.postId, post.id))
    .orderBy(revisions.id)
    .all();
  const since = kept.filter((row) => row.id >= id);
  const fields = since[0]?.fields as KeptFields | undefined;
  if (!fields || kept.every((row) => row.id !== id)) throw notFound("revision");
  const saying = since.find(saysContent);
  const said = saying ? (fieldsSaid(platen, saying) as KeptFields) : post;
  return {
    title: fields.title,
    content: said.source,
    contentType: said.sourceType,
    type: fields.type,
    altText: fields.altText,
    previewImage: fields.previewImage,
    category: fields.category,
    tags: fields.tags,
    hidden: fields.hidden,
    hideInRss: fields.hideInRss,
    noIndexNoFollow: fields.noIndexNoFollow,
    showContactForm: fields.showContactForm,
    kommentsDisabled: fields.kommentsDisabled,
    skipArchive: fields.skipArchive,
  };
}
