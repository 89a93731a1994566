/** Which posts have the words that somebody looks for, kept: of each word by itself, and of all together. */
import { prepared } from "../../database/prepared";
import { nextTurn } from "../../next-turn";
import type { Platen } from "../../platen";
import { IdSet } from "../parts/id-set";
import { type Finding, KeptFindings } from "../parts/kept-findings";
import { havingWords } from "./changed-words";
import { postsWithWord } from "./index-reading";
import { searching } from "./search-index";
import { PAGES_IN_ONE_TURN, piecesOf, rarestFirst, termsIn, wordAlone } from "./word-pieces";

/** Of hits kept, in bytes: those of a word take one for eight posts. */
const MOST_BYTES = 1024 * 1024;
/** Times that words are read again which others' writing made out of date, before they are read in one. */
const MOST_READINGS = 3;

const hits = new KeptFindings<IdSet>(MOST_BYTES);

/** @param words as `wordsSought` tells them. @returns what is not to be changed */
export function hitsOf(platen: Platen, words: string): IdSet {
  let { shared, unknown } = known(platen, words);
  for (const term of unknown)
    if (shared?.count !== 0) shared = sharedBy(shared, hits.found(platen, ofTerm(platen, term)));
  return shared ?? new IdSet(0);
}

/** For `hitsOf` to have them ready: what it does not find it reads in one, and keeps everybody waiting. */
export async function readHits(platen: Platen, words: string): Promise<void> {
  const pace = { pages: 0 };
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    let { shared, unknown } = known(platen, words);
    for (const term of rarestFirst(platen, unknown)) {
      if (shared?.count === 0) break;
      const finding = ofTerm(platen, term);
      await hits.ready(platen, finding, () => foundInTurns(platen, term, pace));
      const found = hits.known(platen, finding);
      if (!found) break;
      shared = sharedBy(shared, found);
    }
    if (unknown.length === 0 || platen.db.$client.inTransaction) return;
  }
}

/** What the words that were found already share, and which are to be found yet. */
function known(platen: Platen, words: string): { shared?: IdSet; unknown: string[] } {
  let shared: IdSet | undefined;
  const unknown: string[] = [];
  for (const term of termsIn(words)) {
    const found = hits.known(platen, ofTerm(platen, term));
    if (found) shared = sharedBy(shared, found);
    else unknown.push(term);
  }
  return { shared, unknown };
}

const sharedBy = (shared: IdSet | undefined, found: IdSet) => shared?.sharedWith(found) ?? found;

async function foundInTurns(platen: Platen, term: string, pace: { pages: number }): Promise<IdSet> {
  const found = new IdSet(0);
  for (const { query, pages } of piecesOf(platen, term)) {
    if (pace.pages > 0 && pace.pages + pages > PAGES_IN_ONE_TURN) {
      await nextTurn();
      pace.pages = 0;
    }
    pace.pages += pages;
    found.add(allWith(platen, query));
  }
  return found;
}

function ofTerm(platen: Platen, term: string): Finding<IdSet> {
  return {
    key: term,
    find: () => allWith(platen, term),
    follow(ids, changed) {
      const having = havingWords(platen, changed, term);
      for (const id of having ? changed : []) ids.put(id, having?.has(id) === true);
      return having !== null;
    },
  };
}

function allWith(platen: Platen, query: string): IdSet {
  searching(platen);
  const alone = platen.db.$client.inTransaction ? null : wordAlone(query);
  if (alone) return postsWithWord(platen, alone.word, alone.goesOn);
  return IdSet.of(JSON.parse(allFound(platen).get(query)?.ids ?? "[]"));
}

/** As one text: rows of their own would take as long again as to find them. */
const allFound = prepared((db) =>
  db.$client.query<{ ids: string }, [string]>(
    "SELECT json_group_array(rowid) AS ids FROM post_search WHERE post_search MATCH ?",
  ),
);
