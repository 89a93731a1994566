import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { asc } from "drizzle-orm";
import { HOUR } from "../config/units";
import { accounts } from "../database/schema";
import { mediaFolder } from "../media/files/media-folder";
import type { Platen } from "../platen";

/** The longest that copying the media may take after the database was copied, in milliseconds: an estimate. */
const COPY_LASTS = HOUR;

export interface CopyTime {
  from: Date;
  until: Date;
}

/**
 * When this data folder was made by copying another one; null where it was not. A copy is known by its database file:
 * the file system has it younger than the oldest account in it. A backup that was restored counts as a copy for ever.
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

/** In milliseconds since 1970; 0 where the file system does not tell, so that nothing counts as copied. */
function bornAt(path: string): number {
  return statSync(path).birthtimeMs;
}
