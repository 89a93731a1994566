/**
 * Which of the posts that were just written have some words. They are asked of an index of these alone: the one of all posts
 * takes as long for a single one as for all, where words may go on.
 */
import { keepingDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import type { Database, Platen } from "../../platen";
import { changesSince } from "../parts/changed-posts";
import { indexedText, searchText } from "./indexed-text";

const MOST_POSTS = 50;
/** Of their texts together: some ten milliseconds. */
const MOST_CHARACTERS = 500_000;

/** Database → the posts that its small index has, and as of when. */
const taken = new WeakMap<Database, string>();

/** @param query as `wordsSought` tells it. @returns null where they are too many, or too long, or wait for the great index */
export function havingWords(platen: Platen, ids: number[], query: string): Set<number> | null {
  if (ids.length === 0) return new Set();
  if (ids.length > MOST_POSTS) return null;
  const posts = `${changesSince(platen, undefined).now}: ${ids}`;
  if (taken.get(platen.db) !== posts && !takeIn(platen, ids)) return null;
  taken.set(platen.db, posts);
  return new Set(
    having(platen)
      .all(query)
      .map(({ id }) => id),
  );
}

function takeIn(platen: Platen, ids: number[]): boolean {
  const posts = written(platen).all(JSON.stringify(ids));
  const characters = posts.reduce((sum, { length }) => sum + length, 0);
  if (characters > MOST_CHARACTERS || posts.some(({ isAsIndexed }) => !isAsIndexed)) return false;
  const words = posts.map(({ id, title, text }) => [id, searchText(title), indexedText(text)]);
  keepingDataVersion(platen, () => {
    if (taken.has(platen.db)) forget(platen).run();
    else platen.db.$client.run(SMALL_INDEX);
    taken.set(platen.db, "");
    take(platen).run(JSON.stringify(words));
  });
  return true;
}

/** As that of all posts: see migration 0001. */
const SMALL_INDEX = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.changed_words
  USING fts5(title, content, content='', tokenize='unicode61 remove_diacritics 2')`;

interface Written {
  id: number;
  title: string;
  text: string;
  length: number;
  isAsIndexed: number;
}

/** Long texts lie elsewhere. */
const written = prepared((db) =>
  db.$client.query<Written, [string]>(
    `SELECT posts.id, title, text, length(text) AS length,
       long_id IS NULL AND NOT EXISTS (SELECT 1 FROM unindexed_posts WHERE post_id = posts.id) AS isAsIndexed
     FROM (SELECT value AS id FROM json_each(?)) AS changed
     CROSS JOIN posts ON posts.id = changed.id AND deleted_at IS NULL
     CROSS JOIN contents ON contents.post_id = posts.id`,
  ),
);

const forget = prepared((db) =>
  db.$client.query("INSERT INTO temp.changed_words (changed_words) VALUES ('delete-all')"),
);
const take = prepared((db) =>
  db.$client.query<unknown, [string]>(
    `INSERT INTO temp.changed_words (rowid, title, content)
     SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`,
  ),
);
const having = prepared((db) =>
  db.$client.query<{ id: number }, [string]>(
    "SELECT rowid AS id FROM temp.changed_words WHERE changed_words MATCH ?",
  ),
);
