import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { asc } from "drizzle-orm";
import { accounts } from "../database/schema";
import { mediaFolder } from "../media/files/media-folder";
import type { Platen } from "../platen";

/** How long copying a folder is taken to last at most after its database was copied, in milliseconds. */
const COPY_LASTS = 60 * 60 * 1000;

export interface CopyTime {
  from: Date;
  until: Date;
}

/**
 * When this data folder was made by copying another; null where it is none. Told by the database file: one that is
 * younger than its oldest account was written elsewhere. A restored copy stays one.
 */
export function copyTime(platen: Platen): CopyTime | null {
  const createdAt = accounts.createdAt;
  const oldest = platen.db.select({ createdAt }).from(accounts).orderBy(asc(createdAt)).limit(1).get();
  const database = bornAt(join(platen.config.data, "platen.db"));
  if (!oldest || oldest.createdAt.getTime() >= database) return null;
  const media = mediaFolder(platen);
  const from = existsSync(media) ? Math.min(database, bornAt(media)) : database;
  return { from: new Date(from), until: new Date(database + COPY_LASTS) };
}

/** Milliseconds; 0 where the file system does not know, so that nothing seems copied. */
function bornAt(path: string): number {
  return statSync(path).birthtimeMs;
}
