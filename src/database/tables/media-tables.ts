import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, ownedBy, refersTo } from "./columns";

export interface StoredFile {
  name: string;
  size: number;
  /** Hex. */
  sha256: string;
  modified: number;
}

/** Uploaded files, served at /media/{folder}/{filename}. */
export const blobs = sqliteTable(
  "blobs",
  {
    id: id(),
    blogId: refersTo(() => blogs.id),
    folder: text().notNull(),
    filename: text().notNull(),
    mediaType: text({ enum: ["image", "video"] }).notNull(),
    contentType: text().notNull(),
    byteSize: integer().notNull(),
    /** Hex. Hash of the file as served, which may differ from the upload. */
    sha256: text().notNull(),
    /** Pixels after applying the orientation; null: unknown. */
    width: integer(),
    height: integer(),
    placeholder: text().notNull().default(""),
    isAnimated: flag(),
    hasPoster: flag(),
    /** CSS position that a cropped picture must show, such as "30% 60%"; "" for the center. */
    focus: text().notNull().default(""),
    caption: text().notNull().default(""),
    createdAt: createdAt(),
    /** The file's objects in the object store, without renditions; null: the file is in the media folder. */
    atStore: text({ mode: "json" }).$type<StoredFile[]>(),
  },
  (table) => [
    uniqueIndex("blobs_folder").on(table.folder),
    uniqueIndex("blobs_filename").on(table.blogId, table.filename),
    index("blobs_of_blog").on(table.blogId, table.id, table.byteSize),
    index("blobs_in_folder").on(table.id).where(sql`at_store IS NULL`),
  ],
);

/** Folders of replaced files. Their URLs lead to the current file. */
export const formerMedia = sqliteTable(
  "former_media",
  { folder: text().primaryKey(), blobId: ownedBy(() => blobs.id) },
  (table) => [index("former_media_blob").on(table.blobId)],
);

export const unwantedObjects = sqliteTable("unwanted_objects", { path: text().primaryKey() });

/** The files stay for a while, because a copy of the data folder may be in progress. */
export const deletedMedia = sqliteTable(
  "deleted_media",
  { folder: text().primaryKey(), deletedAt: instant().notNull() },
  (table) => [index("deleted_media_time").on(table.deletedAt)],
);
