import { configureBlog } from "../blogs/blog-settings";
import type { Blog } from "../blogs/blogs";
import { inTransaction } from "../database/transactions";
import { invalid, Refusal } from "../errors";
import type { Platen } from "../platen";
import { grouped } from "../text/numbers";
import {
  addWebhook,
  listWebhooks,
  MAX_URL_LENGTH,
  normalizeUrl,
  parseWebhookUrl,
  removeWebhook,
} from "./webhook-urls";

const MAX_URLS = 100;
export const MAX_URL_LIST_LENGTH = MAX_URLS * (MAX_URL_LENGTH + "\r\n".length);
const MAX_ERRORS = 20;

export type SavedUrls = ReturnType<typeof saveUrlList>;

export function formatUrlList(platen: Platen, blog: Blog): string {
  return listWebhooks(platen, blog)
    .map(({ url }) => url)
    .join("\n");
}

/**
 * @param typed one URL per line; empty lines are ignored
 * @param before list that the user edited, so that changes by others are kept; null for the current list
 * @param kommentEvents whether webhooks get `komment.created`; the returned `komments` is null if unchanged
 */
export function saveUrlList(
  platen: Platen,
  blog: Blog,
  typed: string,
  { before = null, kommentEvents }: { before?: string | null; kommentEvents?: boolean } = {},
) {
  if (typed.length > MAX_URL_LIST_LENGTH)
    throw invalid({ urls: [`must be at most ${grouped(MAX_URL_LIST_LENGTH)} characters in total`] });
  const wanted = addressesIn(typed);
  return inTransaction(platen, () => {
    const present = new Map(listWebhooks(platen, blog).map(({ url }) => [normalizeUrl(url), url]));
    const known = before === null ? new Set(present.keys()) : new Set(linesOf(before).map(normalizeUrl));
    const removed = [...present].filter(([meant]) => known.has(meant) && !wanted.has(meant));
    const added = [...wanted].filter(([meant]) => !known.has(meant) && !present.has(meant));
    const kept = present.size - removed.length;
    if (kept + added.length > MAX_URLS) throw invalid({ urls: [`must have at most ${MAX_URLS} lines`] });
    for (const [, url] of removed) removeWebhook(platen, blog, url);
    for (const [, url] of added) addWebhook(platen, blog, url);
    const isChanged = kommentEvents !== undefined && kommentEvents !== blog.kommentEvents;
    if (isChanged) configureBlog(platen, blog, { kommentEvents });
    const komments = isChanged ? (kommentEvents ? "on" : "off") : null;
    return { added: added.map(([, url]) => url), removed: removed.length, kept, komments };
  });
}

function addressesIn(typed: string): Map<string, string> {
  const addresses = new Map<string, string>();
  const errors: string[] = [];
  linesOf(typed).forEach((line, index) => {
    if (line === "") return;
    try {
      const address = parseWebhookUrl(line);
      if (!addresses.has(normalizeUrl(address))) addresses.set(normalizeUrl(address), address);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      for (const message of error.fields?.url ?? []) errors.push(`line ${index + 1} ${message}`);
    }
  });
  const more = errors.splice(MAX_ERRORS).length;
  if (more > 0) errors.push(`have errors in ${more} more ${more === 1 ? "line" : "lines"}`);
  if (errors.length > 0) throw invalid({ urls: errors });
  return addresses;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/).map((line) => line.trim());
}
