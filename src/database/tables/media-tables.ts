import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

/** One of an upload's files that is at the store. */
export interface StoredFile {
  /** Below the folder: "cat.jpg", "poster.webp", ".original". */
  name: string;
  /** In bytes. */
  size: number;
  /** Hex. */
  sha256: string;
  /** When it was written, in milliseconds since 1970. */
  modified: number;
}

/** Uploaded files. The bytes lie in media/{folder}/{filename}, at the address /media/{folder}/{filename}. */
export const blobs = sqliteTable(
  "blobs",
  {
    id: id(),
    blogId: integer()
      .notNull()
      .references(() => blogs.id),
    /** Unguessable; the folder's name on disk and in the address. */
    folder: text().notNull(),
    /** Unique within the blog; the key of alt text (interface.md Alt text 1). */
    filename: text().notNull(),
    mediaType: text({ enum: ["image", "video"] }).notNull(),
    contentType: text().notNull(),
    byteSize: integer().notNull(),
    /** SHA-256 of the served file, hex. */
    sha256: text().notNull(),
    /** Pixels as shown, after orientation; null where unknown. */
    width: integer(),
    height: integer(),
    /** A tiny picture as a data: address, shown blurred while the real one loads; empty where there is none yet. */
    placeholder: text().notNull().default(""),
    /** More than one frame: shown as it is, never resized. */
    isAnimated: flag(),
    hasPoster: flag(),
    /** The upload's caption: the alt text where none is given (interface.md Alt text 4). */
    caption: text().notNull().default(""),
    createdAt: createdAt(),
    /** What of it is at the store instead of in its folder: all but the sizes; null where nothing is. */
    atStore: text({ mode: "json" }).$type<StoredFile[]>(),
  },
  (table) => [
    uniqueIndex("blobs_folder").on(table.folder),
    uniqueIndex("blobs_filename").on(table.blogId, table.filename),
    index("blobs_of_blog").on(table.blogId, table.id),
    index("blobs_in_folder").on(table.id).where(sql`at_store IS NULL`),
  ],
);

/** Folders of files that others have taken the place of: the addresses in them lead to the file that is there now. */
export const formerMedia = sqliteTable(
  "former_media",
  { folder: text().primaryKey(), blobId: ownedBy(() => blobs.id) },
  (table) => [index("former_media_blob").on(table.blobId)],
);

/** What is to be deleted at the store, by the path below the data folder: "media/{folder}/{filename}". */
export const unwantedObjects = sqliteTable("unwanted_objects", { path: text().primaryKey() });

/** Folders of deleted and replaced files, which are still there for copies of the data folder that are being made. */
export const deletedMedia = sqliteTable(
  "deleted_media",
  { folder: text().primaryKey(), deletedAt: instant().notNull() },
  (table) => [index("deleted_media_time").on(table.deletedAt)],
);

/** How many files a blog has, and their bytes, without the sizes made from them. Kept by triggers. */
export const mediaTotals = sqliteTable("media_totals", {
  blogId: integer().primaryKey(),
  files: integer().notNull(),
  bytes: integer().notNull(),
});
