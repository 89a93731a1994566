/** Runs list queries: cheap index reads on the main thread, all others in the reader thread. */
import { prepared } from "../../database/prepared";
import { readInWorker } from "../../database/reader/reader";
import type { Platen } from "../../platen";
import { countStatement, isIndexed, pageStatement, type Statement, type Values } from "./list-statements";
import type { Order, Place, Selection } from "./selection";

const MAX_OFFSET_ON_THE_SPOT = 1000;
/** Number of posts up to which every query except a search is fast. */
const SMALL_DATABASE = 10_000;

/**
 * Reads the post ids of one page on the main thread. Use it for first pages of indexed lists and for adjacent posts.
 */
export function firstPosts(platen: Platen, selection: Selection, order: Order, place: Place): number[] {
  return readHere<{ id: number }>(platen, pageStatement(selection, order, place)).map(({ id }) => id);
}

/** Reads the post ids of one page. @throws Refusal (busy) on timeout */
export async function pageOfPosts(
  platen: Platen,
  selection: Selection,
  order: Order,
  place: Place,
): Promise<number[]> {
  if (isIndexed(selection, order) && place.offset <= MAX_OFFSET_ON_THE_SPOT)
    return firstPosts(platen, selection, order, place);
  const [rows] = await runListStatements<[{ id: number }]>(
    platen,
    [pageStatement(selection, order, place)],
    selection,
  );
  return rows.map(({ id }) => id);
}

export async function countedPage(
  platen: Platen,
  selection: Selection,
  order: Order,
  place: Place,
): Promise<{ ids: number[]; total: number }> {
  const statements = [pageStatement(selection, order, place), countStatement(selection)];
  const [page, [count]] = await runListStatements<[{ id: number }, { n: number }]>(
    platen,
    statements,
    selection,
  );
  return { ids: page.map(({ id }) => id), total: count?.n ?? 0 };
}

/** Runs in the reader thread if the database is large or the query is a search. Do not call it in a transaction. */
export async function runListStatements<Rows extends unknown[]>(
  platen: Platen,
  statements: Statement[],
  { words }: Pick<Selection, "words"> = {},
): Promise<{ [At in keyof Rows]: Rows[At][] }> {
  if (words !== undefined || !isSmallDatabase(platen)) return await readInWorker<Rows>(platen, statements);
  return statements.map((one) => readHere(platen, one)) as { [At in keyof Rows]: Rows[At][] };
}

/** Counts posts with a covering index. */
export function countPosts(platen: Platen, selection: Selection): number {
  return readHere<{ n: number }>(platen, countStatement(selection))[0]?.n ?? 0;
}

function isSmallDatabase(platen: Platen): boolean {
  return (lastPostId(platen).get()?.id ?? 0) <= SMALL_DATABASE;
}

const lastPostId = prepared((db) =>
  db.$client.query<{ id: number | null }, []>("SELECT max(id) AS id FROM posts"),
);

function readHere<Row>({ db }: Platen, { sql, values }: Statement): Row[] {
  return db.$client.query<Row, [Values]>(sql).all(values);
}
