import type { Blog } from "../blogs/blogs";
import { inTransaction } from "../database/transactions";
import { invalid, Refusal } from "../errors";
import type { Platen } from "../platen";
import { grouped } from "../text/numbers";
import {
  addressOf,
  addWebhook,
  listWebhooks,
  MAX_URL_LENGTH,
  normalizeUrl,
  removeWebhook,
} from "./webhook-urls";

/** Every event is delivered to each. */
const MOST_URLS = 100;
/** All of them as they are typed, in characters; a page's form may hold more, and is refused in these words. */
export const MAX_URL_LIST_LENGTH = MOST_URLS * (MAX_URL_LENGTH + "\r\n".length);
/** Of lines at fault, so many are told one by one. */
const MOST_TOLD = 20;

/** The addresses that a save has added, and how many it has removed and left as they were. */
export interface SavedUrls {
  added: string[];
  removed: number;
  kept: number;
}

/** The blog's addresses, one a line. */
export function formatUrlList(platen: Platen, blog: Blog): string {
  return listWebhooks(platen, blog)
    .map(({ url }) => url)
    .join("\n");
}

/**
 * Makes the blog's webhooks those of the list (interface.md, "publishing feed actions"): an address that is new is added,
 * one that is gone removed, every other one stays as it is, on or off.
 * @param typed one address a line; empty lines count for nothing
 * @param before the list that was changed into this one: what others have added or removed since then stays so. Null:
 * the present one
 * @throws Refusal (invalid) naming `urls`, with a sentence for each line at fault; then nothing is changed
 */
export function saveUrlList(
  platen: Platen,
  blog: Blog,
  typed: string,
  before: string | null = null,
): SavedUrls {
  if (typed.length > MAX_URL_LIST_LENGTH)
    throw invalid({ urls: [`must be at most ${grouped(MAX_URL_LIST_LENGTH)} characters together`] });
  const wanted = addressesIn(typed);
  return inTransaction(platen, () => {
    const present = new Map(listWebhooks(platen, blog).map(({ url }) => [normalizeUrl(url), url]));
    const known = before === null ? new Set(present.keys()) : new Set(linesOf(before).map(normalizeUrl));
    const removed = [...present].filter(([meant]) => known.has(meant) && !wanted.has(meant));
    const added = [...wanted].filter(([meant]) => !known.has(meant) && !present.has(meant));
    const kept = present.size - removed.length;
    if (kept + added.length > MOST_URLS) throw invalid({ urls: [`must be at most ${MOST_URLS}`] });
    for (const [, url] of removed) removeWebhook(platen, blog, url);
    for (const [, url] of added) addWebhook(platen, blog, url);
    return { added: added.map(([, url]) => url), removed: removed.length, kept };
  });
}

/** What is meant → as it was typed. @throws Refusal (invalid) */
function addressesIn(typed: string): Map<string, string> {
  const addresses = new Map<string, string>();
  const faults: string[] = [];
  linesOf(typed).forEach((line, index) => {
    if (line === "") return;
    try {
      const address = addressOf(line);
      if (!addresses.has(normalizeUrl(address))) addresses.set(normalizeUrl(address), address);
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      for (const says of fault.fields?.url ?? []) faults.push(`line ${index + 1} ${says}`);
    }
  });
  const untold = faults.splice(MOST_TOLD).length;
  if (untold > 0) faults.push(`could not be taken from ${untold} more ${untold === 1 ? "line" : "lines"}`);
  if (faults.length > 0) throw invalid({ urls: faults });
  return addresses;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/).map((line) => line.trim());
}
