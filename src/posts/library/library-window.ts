import { and, desc, eq, lt, sql } from "drizzle-orm";
import { prepared } from "../../database/prepared";
import { blobs } from "../../database/schema";
import type { Platen } from "../../platen";

/** Files that are looked at for one page, however few of them are what is looked for. */
const LOOKED_AT = 2000;

/** Files of a blog from one id to another, both left out: looking through them costs the same in a library of any size. */
interface LibraryWindow {
  before: number;
  after: number;
}

/** The newest files older than `before`, or the newest of all. */
export function libraryWindow(
  platen: Platen,
  blogId: number,
  before = Number.MAX_SAFE_INTEGER,
): LibraryWindow {
  const next = beyond(platen).get({ blogId, before });
  return { before, after: next?.id ?? 0 };
}

const beyond = prepared((db) =>
  db
    .select({ id: blobs.id })
    .from(blobs)
    .where(and(eq(blobs.blogId, sql.placeholder("blogId")), lt(blobs.id, sql.placeholder("before"))))
    .orderBy(desc(blobs.id))
    .limit(1)
    .offset(LOOKED_AT)
    .prepare(),
);
