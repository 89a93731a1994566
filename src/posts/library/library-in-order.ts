import { and, desc, eq, exists, gt, isNull, lt, notExists, notInArray, type SQL, sql } from "drizzle-orm";
import { attachments, blobs, blogs, posts } from "../../database/schema";
import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { foldersIn } from "./file-mentions";
import { libraryWindow } from "./library-window";

export const LIBRARY_PARTS = ["all", "images", "videos", "unused", "without-alt"] as const;
export type LibraryPart = (typeof LIBRARY_PARTS)[number];

interface LibraryWish {
  part: LibraryPart;
  /** Part of the filename. */
  named: string;
  /** The id that all of these are older than. */
  before?: number;
  limit: number;
}

/** Files of a blog, newest first. @returns `next`: where to go on with `before`; null: there are no older ones */
export function libraryPage(platen: Platen, blogId: number, wish: LibraryWish) {
  const { before, after } = libraryWindow(platen, blogId, wish.before);
  const found = platen.db
    .select()
    .from(blobs)
    .where(
      and(
        eq(blobs.blogId, blogId),
        lt(blobs.id, before),
        gt(blobs.id, after),
        wish.named === "" ? undefined : sql`instr(lower(${blobs.filename}), lower(${wish.named})) > 0`,
        conditionOf(platen, wish.part),
      ),
    )
    .orderBy(desc(blobs.id))
    .limit(wish.limit + 1)
    .all();
  const files = found.slice(0, wish.limit);
  const last = found.length > wish.limit ? files.at(-1)?.id : undefined;
  return { files, next: last ?? (after > 0 ? after + 1 : null) };
}

function conditionOf(platen: Platen, part: LibraryPart): SQL | undefined {
  if (part === "images") return eq(blobs.mediaType, "image");
  if (part === "videos") return eq(blobs.mediaType, "video");
  if (part === "unused") return and(isInNoPost(platen), notInArray(blobs.folder, foldersOnEveryPage(platen)));
  return part === "without-alt" ? lacksAlt(platen) : undefined;
}

/** Is no attachment of a post, not even of one in the trash; a text may name its address all the same. */
function isInNoPost({ db }: Platen): SQL {
  return notExists(db.select({ one: sql`1` }).from(attachments).where(eq(attachments.blobId, blobs.id)));
}

/** A picture that some post shows and that nothing describes there: neither the post nor the upload's caption. */
function lacksAlt({ db }: Platen): SQL | undefined {
  const shown = db
    .select({ one: sql`1` })
    .from(attachments)
    .innerJoin(posts, eq(posts.id, attachments.postId))
    .where(and(eq(attachments.blobId, blobs.id), isNull(posts.deletedAt), IS_NOT_DESCRIBED));
  return and(eq(blobs.mediaType, "image"), eq(blobs.caption, ""), exists(shown));
}

/** An empty alt text is one: the picture is decorative (see altOf). */
export const IS_NOT_DESCRIBED = sql`not exists (select 1 from json_each(${posts.altText}) where key = ${blobs.filename})`;

/** Of files that headers, footers and CSS name. */
function foldersOnEveryPage({ db }: Platen): StoredBlob["folder"][] {
  const { headerHtml, footerHtml, customCss } = blogs;
  const texts = db.select({ headerHtml, footerHtml, customCss }).from(blogs).all();
  return foldersIn(texts.flatMap((text) => Object.values(text)).join(" "));
}
