import { existsSync } from "node:fs";
import { isNotNull } from "drizzle-orm";
import { openReadOnly } from "../../database/open";
import { blobs } from "../../database/schema";
import type { Platen } from "../../platen";
import { removedCopies, removedFolder } from "./removed-media";

/** An upload's folder → the copy in the folder `removed` that refers to what it has at the store. */
export function removedAtStore(platen: Platen): Map<string, string> {
  const found = new Map<string, string>();
  for (const copy of removedCopies(platen)) {
    const file = removedFolder(platen, copy, "platen.db");
    if (existsSync(file)) for (const folder of foldersIn(file)) found.set(folder, copy);
  }
  return found;
}

function foldersIn(file: string): string[] {
  const db = openReadOnly(file);
  try {
    const rows = db.select({ folder: blobs.folder }).from(blobs).where(isNotNull(blobs.atStore)).all();
    return rows.map(({ folder }) => folder);
  } catch {
    // Of a version from before there were stores, or damaged.
    return [];
  } finally {
    db.$client.close(false);
  }
}
