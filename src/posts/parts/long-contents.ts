/**
 * What a long post says is written before the save that shows it, piece by piece, each in a turn of its own: to write
 * megabytes in one go keeps everybody else waiting. The save only points to it, whole or not at all, and so does the
 * revision of what the post said before. What a server that was killed leaves without a post is removed like what no post
 * says any more.
 */
import { keepingDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import { inTransaction, inUnsyncedTransaction, onceUnlocked } from "../../database/transactions";
import { notFound } from "../../errors";
import { nextTurn } from "../../next-turn";
import type { Database, Platen } from "../../platen";
import { syncBeside } from "../../synced-files";
import type { Content } from "../post/post";

/** In characters, all parts together: what is no longer is written with the save, which takes a few milliseconds. */
const LONGEST_AT_ONCE = 300_000;
/** In characters: a millisecond's work. */
const PIECE = 200_000;
/** Written so long ago, in milliseconds, it is not on its way to a post any more. */
const ON_ITS_WAY = 60 * 60 * 1000;
/** Pieces that are removed in one go, which holds others up for ten milliseconds. */
const REMOVED_AT_ONCE = 10;

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
  const write = (work: () => void) =>
    onceUnlocked(platen, () => keepingDataVersion(platen, () => inUnsyncedTransaction(platen, work)));
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
  const whole = { html: [] as string[], text: [] as string[], source: [] as string[] };
  for (const { part, piece } of pieces(platen).all(id)) whole[part].push(piece);
  const [html, text, source] = [whole.html.join(""), whole.text.join(""), whole.source.join("")];
  return { html, text, source: whole.source.length > 0 ? source : null };
}

const pieces = prepared((db) =>
  db.$client.query<{ part: "html" | "text" | "source"; piece: string }, [number]>(
    "SELECT part, piece FROM long_pieces WHERE content_id = ? ORDER BY part, position",
  ),
);

/** Platens that have something to remove. */
const sweeping = new WeakSet<Database>();

/** Has what was written for a save that came to nothing removed soon. */
export function giveUpLongContent(platen: Platen, id: number): void {
  giveUp(platen).run(id);
  sweeping.add(platen.db);
}

const giveUp = prepared((db) => db.$client.query("UPDATE long_contents SET created_at = 0 WHERE id = ?"));

/** Begins to remove what nothing points to any more; to be called every hour. */
export function sweepLongContents(platen: Platen): void {
  sweeping.add(platen.db);
}

export function isSweepingLongContents(platen: Platen): boolean {
  return sweeping.has(platen.db);
}

/** Removes some of it, nobody sees the difference; to be called every second while there is something to remove. */
export function sweepSomeLongContents(platen: Platen): void {
  const until = platen.now().getTime() - ON_ITS_WAY;
  keepingDataVersion(platen, () =>
    inTransaction(platen, () => {
      if (removePieces(platen).run(until).changes > 0) return;
      removeEmpty(platen).run(until);
      sweeping.delete(platen.db);
    }),
  );
}

const UNSAID = `created_at <= ? AND NOT EXISTS (SELECT 1 FROM contents WHERE long_id = long_contents.id)`;
const IN_NO_REVISION = "NOT EXISTS (SELECT 1 FROM revisions WHERE long_id = long_contents.id)";

/** Of what a post said before, the source stays: it is made from that again. */
const removePieces = prepared((db) =>
  db.$client.query<void, [number]>(
    `DELETE FROM long_pieces WHERE rowid IN (
       SELECT long_pieces.rowid FROM long_contents CROSS JOIN long_pieces ON content_id = long_contents.id
       WHERE ${UNSAID} AND (${IN_NO_REVISION} OR part = 'text' OR (part = 'html' AND EXISTS (
         SELECT 1 FROM long_pieces AS others WHERE others.content_id = long_contents.id AND others.part = 'source')))
       LIMIT ${REMOVED_AT_ONCE})`,
  ),
);
const removeEmpty = prepared((db) =>
  db.$client.query<void, [number]>(`DELETE FROM long_contents WHERE ${UNSAID} AND ${IN_NO_REVISION}`),
);
