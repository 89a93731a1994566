/**
 * What a long post says is written before the save that shows it, piece by piece, each in a turn of its own: to write
 * megabytes in one go keeps everybody else waiting. The save only points to it, whole or not at all, and so does the
 * revision of what the post said before. What a server that was killed leaves without a post is removed like what no post
 * says any more.
 */
import { keepingDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import { inUnsyncedTransaction, waitForLock } from "../../database/transactions";
import { busy, notFound } from "../../errors";
import { nextTurn, Pace } from "../../next-turn";
import type { Database, Platen } from "../../platen";
import { syncBeside } from "../../synced-files";
import { HOUR, SECOND } from "../../units";
import type { Content } from "../post/post";

/** In characters, all parts together: what is no longer is written with the save, which takes a few milliseconds. */
const LONGEST_AT_ONCE = 300_000;
/** In characters: a millisecond's work. */
const PIECE = 200_000;
/** Written so long ago, in milliseconds, it is not on its way to a post any more. */
const ON_ITS_WAY = HOUR;
/** Replaced so long ago, in milliseconds, nobody reads it any more. */
const STILL_READ = 60 * SECOND;
/** Pieces that are removed in one go, which holds others up for ten milliseconds. */
const REMOVED_AT_ONCE = 10;
/** Contents that are looked through for them. */
const LOOKED_AT_AT_ONCE = 500;

type Parts = Pick<Content, "html" | "text"> & { source: string | null };

export function isLong({ html, text, source }: Content): boolean {
  return html.length + text.length + (source === html ? 0 : source.length) > LONGEST_AT_ONCE;
}

/**
 * Writes it for a save that is to follow, and shows it nowhere.
 * @returns what the save points to it by
 * @throws Refusal: missing (the blog), busy
 */
export async function writeLongContent(
  platen: Platen,
  blog: { id: number },
  { html, text, source }: Content,
): Promise<number> {
  const write = async (work: () => void) => {
    await waitForLock(platen);
    keepingDataVersion(platen, () => inUnsyncedTransaction(platen, work));
  };
  let id: number | undefined;
  await write(() => {
    id = begin(platen).get(blog.id, platen.now().getTime())?.id;
  });
  if (id === undefined) throw notFound("blog");
  const parts = { html, text, ...(source !== html && { source }) };
  for (const [part, whole] of Object.entries(parts))
    for (const [position, piece] of piecesOf(whole).entries()) {
      await nextTurn();
      await write(() => void addPiece(platen).run(id as number, part, position, piece));
    }
  // The save waits for the disk in its turn, and need not wait for all of this.
  await syncBeside(`${platen.db.$client.filename}-wal`);
  return id;
}

const begin = prepared((db) =>
  db.$client.query<{ id: number }, [number, number]>(
    "INSERT INTO long_contents (blog_id, created_at) SELECT id, ?2 FROM blogs WHERE id = ?1 RETURNING id",
  ),
);
const addPiece = prepared((db) =>
  db.$client.query<void, [number, string, number, string]>(
    // Gone with its blog: whoever saves will be told.
    "INSERT INTO long_pieces SELECT id, ?2, ?3, ?4 FROM long_contents WHERE id = ?1",
  ),
);

/** Between characters, not between the halves of one. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + PIECE;
    const to = isBetweenHalves(text, end) ? end + 1 : end;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function isBetweenHalves(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}

export function longContent(platen: Platen, id: number): Parts {
  return whole(pieces(platen).all(id));
}

/**
 * The same, read in turns: others come in between.
 * @param wanted the other parts are empty @throws Refusal (busy) where it is gone meanwhile
 */
export async function longContentInTurns(
  platen: Platen,
  id: number,
  wanted: readonly Part[] = PARTS,
): Promise<Parts> {
  return await whileRead(platen, id, async () => {
    const read: Piece[] = [];
    const pace = new Pace();
    for (const part of wanted)
      for (let position = 0; ; position++) {
        const piece = pieceAt(platen).get(id, part, position);
        if (!piece) break;
        read.push(piece);
        await pace.after(piece.piece.length);
      }
    // Another process removes it from its beginning on. What shows no text has a long source all the same.
    if (firstPiece(platen).get(id, read[0]?.part ?? null) === null)
      throw busy("This was changed while it was being read. Ask once more.", 1);
    return whole(read);
  });
}

/** What it was made from, read in the same way. */
export async function longSourceInTurns(platen: Platen, id: number): Promise<string> {
  const hasSource = pieceAt(platen).get(id, "source", 0) !== null;
  const { html, source } = await longContentInTurns(platen, id, [hasSource ? "source" : "html"]);
  return source ?? html;
}

const PARTS = ["html", "text", "source"] as const;
type Part = (typeof PARTS)[number];
interface Piece {
  part: Part;
  piece: string;
}

function whole(pieces: Piece[]): Parts {
  const [html, text, source] = PARTS.map((wanted) =>
    pieces.flatMap(({ part, piece }) => (part === wanted ? [piece] : [])),
  ) as [string[], string[], string[]];
  return { html: html.join(""), text: text.join(""), source: source.length > 0 ? source.join("") : null };
}

const pieces = prepared((db) =>
  db.$client.query<Piece, [number]>(
    "SELECT part, piece FROM long_pieces WHERE content_id = ? ORDER BY part, position",
  ),
);
/** Of a part, or of any. */
const firstPiece = prepared((db) =>
  db.$client.query<unknown, [number, Part | null]>(
    "SELECT 1 FROM long_pieces WHERE content_id = ?1 AND part = coalesce(?2, part) AND position = 0 LIMIT 1",
  ),
);
const pieceAt = prepared((db) =>
  db.$client.query<Piece, [number, Part, number]>(
    "SELECT part, piece FROM long_pieces WHERE content_id = ? AND part = ? AND position = ?",
  ),
);

/** Database → those who read in turns: what they read stays, though nothing says it any more meanwhile. */
const readersOf = new WeakMap<Database, Set<{ id: number }>>();

async function whileRead<Result>({ db }: Platen, id: number, read: () => Promise<Result>): Promise<Result> {
  const readers = readersOf.getOrInsertComputed(db, () => new Set());
  const reader = { id };
  readers.add(reader);
  try {
    return await read();
  } finally {
    readers.delete(reader);
  }
}

/** Database → what is under way of removing. */
const sweeping = new WeakMap<Database, Sweep>();
interface Sweep {
  /** All up to this id have been looked at. */
  after: number;
  /** In milliseconds since 1970: when the first of them was. */
  began: number;
  /** The same: they are looked at again and again until then. */
  until: number;
}

/** Has what was written for a save that came to nothing removed soon. */
export function giveUpLongContent(platen: Platen, id: number): void {
  giveUp(platen).run(id);
  sweepLongContents(platen);
}

const giveUp = prepared((db) => db.$client.query("UPDATE long_contents SET created_at = 0 WHERE id = ?"));

/** Has what nothing says any more, nor said before, removed soon, but not under those who are about to read it. */
export function leaveLongContent(platen: Platen, id: number): void {
  leave(platen).run(platen.now().getTime() - ON_ITS_WAY + STILL_READ, id);
  replacedLongContent(platen);
}

const leave = prepared((db) =>
  db.$client.query("UPDATE long_contents SET created_at = min(created_at, ?) WHERE id = ?"),
);

/** Has what a save has just replaced removed soon. */
export function replacedLongContent(platen: Platen): void {
  sweepLongContents(platen);
  const sweep = sweeping.get(platen.db) as Sweep;
  sweep.until = platen.now().getTime() + STILL_READ + SECOND;
}

/** Begins to remove what nothing points to any more; to be called every hour. */
export function sweepLongContents({ db }: Platen): void {
  const sweep = sweeping.get(db);
  if (sweep) sweep.after = 0;
  else sweeping.set(db, { after: 0, began: 0, until: 0 });
}

export function isSweepingLongContents({ db }: Platen): boolean {
  return sweeping.has(db);
}

/**
 * Removes some of it; nobody sees the difference. To be called every second while there is something to remove.
 * @returns whether it is to be called again soon
 */
export function sweepSomeLongContents(platen: Platen): boolean {
  const sweep = sweeping.get(platen.db);
  if (!sweep) return false;
  const now = platen.now().getTime();
  if (sweep.after === 0) sweep.began = now;
  const { last } = someAfter(platen).get(sweep.after) as { last: number | null };
  if (last === null) {
    sweep.after = 0;
    if (sweep.began > sweep.until) sweeping.delete(platen.db);
    return false;
  }
  const read = JSON.stringify(Array.from(readersOf.get(platen.db) ?? [], ({ id }) => id));
  const these = [sweep.after, last, now - ON_ITS_WAY, now - STILL_READ, read] as const;
  keepingDataVersion(platen, () =>
    inUnsyncedTransaction(platen, () => {
      if (removePieces(platen).run(...these).changes === REMOVED_AT_ONCE) return;
      removeEmpty(platen).run(...these);
      sweep.after = last;
    }),
  );
  return true;
}

const someAfter = prepared((db) =>
  db.$client.query<{ last: number | null }, [number]>(
    `SELECT max(id) AS last FROM (SELECT id FROM long_contents WHERE id > ? ORDER BY id LIMIT ${LOOKED_AT_AT_ONCE})`,
  ),
);

/** Of what a save has replaced, nobody is in the midst of reading it any more. */
const UNSAID = `long_contents.id > ?1 AND long_contents.id <= ?2
  AND (created_at <= ?3 OR EXISTS (SELECT 1 FROM revisions WHERE long_id = long_contents.id AND replaced_at <= ?4))
  AND NOT EXISTS (SELECT 1 FROM contents WHERE long_id = long_contents.id)
  AND NOT EXISTS (SELECT 1 FROM idempotent_answers WHERE long_id = long_contents.id)
  AND long_contents.id NOT IN (SELECT value FROM json_each(?5))`;
const IN_NO_REVISION = "NOT EXISTS (SELECT 1 FROM revisions WHERE long_id = long_contents.id)";
type Swept = readonly [after: number, last: number, onItsWay: number, stillRead: number, beingRead: string];

/** Of what a post said before, the source stays: it is made from that again. */
const removePieces = prepared((db) =>
  db.$client.query<void, [...Swept]>(
    `DELETE FROM long_pieces WHERE rowid IN (
       SELECT long_pieces.rowid FROM long_contents CROSS JOIN long_pieces ON content_id = long_contents.id
       WHERE ${UNSAID} AND (${IN_NO_REVISION} OR part = 'text' OR (part = 'html' AND EXISTS (
         SELECT 1 FROM long_pieces AS others WHERE others.content_id = long_contents.id AND others.part = 'source')))
       LIMIT ${REMOVED_AT_ONCE})`,
  ),
);
const removeEmpty = prepared((db) =>
  db.$client.query<void, [...Swept]>(`DELETE FROM long_contents WHERE ${UNSAID} AND ${IN_NO_REVISION}`),
);
