import { isIP } from "node:net";
import { and, isNull } from "drizzle-orm";
import { accountById } from "../accounts/accounts";
import { configureBlog } from "../blogs/blog-settings";
import type { Blog } from "../blogs/blogs";
import { findRows, hasValues } from "../database/rows";
import { receivers } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Receiver } from "../deliveries/channel";
import { queueEvents } from "../deliveries/events-and-debouncing";
import {
  changeReceiver,
  ensureReceiver,
  listReceivers,
  removeReceiver,
  TURNED_ON,
} from "../deliveries/receivers";
import { invalid, Refusal, requireFound } from "../errors";
import {
  allowedAddresses,
  allowedHosts,
  hostOf,
  NO_PRIVATE_HOSTS,
  systemResolve,
} from "../outgoing/address-guard";
import type { Platen } from "../platen";
import { grouped } from "../text/numbers";
import { parseWebUrl } from "../text/web-urls";
import { webhookChannel } from "./webhook-channel";
import { ensureSecret } from "./webhook-signatures";

export type Webhook = Receiver & { blogId: number };

export const MAX_URL_LENGTH = 2000;

/**
 * A URL that the blog already has keeps its state. A removed URL is reset.
 * @param quietPeriod debounce window in milliseconds
 * @returns the signing secret
 */
export function addWebhook(
  platen: Platen,
  blog: Blog,
  url: string,
  { quietPeriod }: { quietPeriod?: number } = {},
): string {
  const address = parseWebhookUrl(url);
  return inTransaction(platen, () => {
    queueEvents(platen, webhookChannel);
    const known = findWebhook(platen, blog, address, { removedToo: true });
    const added = { channel: webhookChannel.name, blogId: blog.id, url: address };
    const { id } = known ?? ensureReceiver(platen, added);
    const reset = { removedAt: null, pausedAt: null, createdAt: platen.now(), quietPeriod: 0, ...TURNED_ON };
    if (known?.removedAt) changeReceiver(platen, id, reset);
    if (quietPeriod !== undefined) changeReceiver(platen, id, { quietPeriod });
    return ensureSecret(platen, blog);
  });
}

export function removeWebhook(platen: Platen, blog: Blog, url: string): void {
  changeWebhook(platen, blog, url, ({ id }) => removeReceiver(platen, id, platen.now()));
}

/** Missed events are not sent (see `redeliver`). */
export function enableWebhook(platen: Platen, blog: Blog, url: string): void {
  changeWebhook(platen, blog, url, ({ id }) => changeReceiver(platen, id, TURNED_ON));
}

export function pauseWebhook(platen: Platen, blog: Blog, url: string): void {
  changeWebhook(platen, blog, url, ({ id, pausedAt }) =>
    changeReceiver(platen, id, { pausedAt: pausedAt ?? platen.now() }),
  );
}

/** The paused time does not count as failing. */
export function resumeWebhook(platen: Platen, blog: Blog, url: string): void {
  changeWebhook(platen, blog, url, ({ id, pausedAt }) => {
    if (pausedAt) changeReceiver(platen, id, { pausedAt: null, failingSince: null });
  });
}

function changeWebhook(platen: Platen, blog: Blog, url: string, change: (webhook: Webhook) => unknown): void {
  inTransaction(platen, () => {
    queueEvents(platen, webhookChannel);
    change(requireWebhook(platen, blog, url));
  });
}

export function listWebhooks(platen: Platen, blog?: Blog): Webhook[] {
  return listReceivers(platen, webhookChannel.name, blog?.id) as Webhook[];
}

export function requireWebhook(platen: Platen, blog: Blog, url: string): Webhook {
  return requireFound(findWebhook(platen, blog, url.trim()), `webhook of the blog ${blog.slug}`);
}

/** URLs are stored as typed, but compared normalized: `HTTP://a.example` is `http://a.example/`. */
function findWebhook(platen: Platen, blog: Blog, url: string, { removedToo = false } = {}) {
  const isOfBlog = hasValues(receivers, { blogId: blog.id, channel: webhookChannel.name });
  const isWanted = removedToo ? isOfBlog : and(isOfBlog, isNull(receivers.removedAt));
  const all = findRows(platen, receivers, isWanted) as Webhook[];
  return all.find((webhook) => normalizeUrl(webhook.url) === normalizeUrl(url));
}

function normalizeUrl(url: string): string {
  return URL.parse(url)?.href ?? url;
}

/** @returns the URL as typed, but trimmed @throws Refusal (invalid) for `url` */
function parseWebhookUrl(text: string): string {
  const address = text.trim();
  if (address.length > MAX_URL_LENGTH)
    throw invalid({ url: [`must be at most ${MAX_URL_LENGTH} characters`] });
  const url = parseWebUrl(address);
  if (!url) throw invalid({ url: [`"${address}" must be a URL that begins with https:// or http://`] });
  if (url.username || url.password) throw invalid({ url: ["must not contain a user name or password"] });
  return address;
}

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

/** Short, because the check only warns. */
const LOOKUP_TIMEOUT_MS = 2000;

/**
 * For a warning only: each delivery checks again when it connects.
 * @returns URL → reason, worded to follow a colon
 */
export async function findRefusedTargets(platen: Platen, blog: Blog, urls: string[]) {
  const allowed = accountById(platen, blog.accountId)?.isAdmin
    ? allowedHosts(platen.config)
    : NO_PRIVATE_HOSTS;
  const found = await Promise.all(
    urls.map(async (url): Promise<[string, string][]> => {
      const lookedUp = allowedAddresses(new URL(url), allowed, systemResolve);
      const outcome = await Promise.race([lookedUp, Bun.sleep(LOOKUP_TIMEOUT_MS).then(() => null)]);
      return outcome && "failed" in outcome && outcome.kind === "refused" ? [[url, outcome.failed]] : [];
    }),
  );
  return new Map(found.flat());
}

/** Checks only URLs with an IP address as host, which need no DNS lookup. */
export function findRefusedIpTargets(platen: Platen, blog: Blog, urls: string[]) {
  const plain = urls.filter((url) => isIP(hostOf(new URL(url))));
  return findRefusedTargets(platen, blog, plain);
}
