import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { type Blog, isNotBeingRemoved } from "../blogs/blogs";
import { deliveries, webhooks } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid, notFound } from "../errors";
import type { Platen } from "../platen";
import { queueEvents } from "./event-queue";
import { ensureSecret } from "./signing-secrets";

export type Webhook = typeof webhooks.$inferSelect;

export const MAX_URL_LENGTH = 2000;

/**
 * Adds a URL to the blog. An existing URL keeps its state; a removed one is reset.
 * @param quietPeriod debounce window in milliseconds
 * @returns the signing secret
 * @throws Refusal (invalid) for `url`
 */
export function addWebhook(
  platen: Platen,
  blog: Blog,
  url: string,
  { quietPeriod }: { quietPeriod?: number } = {},
): string {
  const address = parseWebhookUrl(url);
  return inTransaction(platen, () => {
    queueEvents(platen);
    const known = findWebhook(platen, blog, address, { removedToo: true });
    if (!known) {
      const fresh = { blogId: blog.id, url: address, createdAt: platen.now(), quietPeriod };
      platen.db.insert(webhooks).values(fresh).run();
    } else {
      const reset = {
        removedAt: null,
        pausedAt: null,
        createdAt: platen.now(),
        quietPeriod: 0,
        ...TURNED_ON,
      };
      const changes = { ...(known.removedAt && reset), ...(quietPeriod !== undefined && { quietPeriod }) };
      if (Object.keys(changes).length > 0)
        platen.db.update(webhooks).set(changes).where(eq(webhooks.id, known.id)).run();
    }
    return ensureSecret(platen, blog);
  });
}

/** Removes the URL and its pending deliveries. Its log stays. @throws Refusal (missing) */
export function removeWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    queueEvents(platen);
    const { id } = requireWebhook(platen, blog, url);
    platen.db.update(webhooks).set({ removedAt: platen.now() }).where(eq(webhooks.id, id)).run();
    dropUndelivered(platen, id, platen.now());
  });
}

const TURNED_ON = { disabledAt: null, disabledBecause: null, failingSince: null };

/** Re-enables a disabled URL. Missed events are not sent (see log/redeliver). @throws Refusal (missing) */
export function enableWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    queueEvents(platen);
    const { id } = requireWebhook(platen, blog, url);
    platen.db.update(webhooks).set(TURNED_ON).where(eq(webhooks.id, id)).run();
  });
}

/** Pauses a URL. Events are queued until `resumeWebhook`. @throws Refusal (missing) */
export function pauseWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    const { id, pausedAt } = requireWebhook(platen, blog, url);
    platen.db
      .update(webhooks)
      .set({ pausedAt: pausedAt ?? platen.now() })
      .where(eq(webhooks.id, id))
      .run();
  });
}

/** Resumes a URL and sends queued events first. Paused time does not count as failing. @throws Refusal (missing) */
export function resumeWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    const { id, pausedAt } = requireWebhook(platen, blog, url);
    if (!pausedAt) return;
    platen.db.update(webhooks).set({ pausedAt: null, failingSince: null }).where(eq(webhooks.id, id)).run();
  });
}

/** Disables a URL and drops its pending deliveries. Call it in a transaction. @param reason sentence for the owner */
export function disableWebhook(platen: Platen, webhook: Webhook, at: Date, reason: string): void {
  platen.db
    .update(webhooks)
    .set({ disabledAt: at, disabledBecause: reason })
    .where(eq(webhooks.id, webhook.id))
    .run();
  dropUndelivered(platen, webhook.id, at);
}

/**
 * Drops deliveries, including those being sent, which would be pending again after a crash. Their outcome overwrites
 * this.
 */
function dropUndelivered(platen: Platen, webhookId: number, at: Date): void {
  platen.db
    .update(deliveries)
    .set({ state: "dropped", dueAt: null, settledAt: at })
    .where(and(eq(deliveries.webhookId, webhookId), inArray(deliveries.state, ["pending", "sending"])))
    .run();
}

/** Lists URLs of one blog or all, without removed ones. */
export function listWebhooks(platen: Platen, blog?: Blog): Webhook[] {
  return platen.db
    .select()
    .from(webhooks)
    .where(
      and(
        isNull(webhooks.removedAt),
        isNotBeingRemoved(webhooks.blogId),
        blog && eq(webhooks.blogId, blog.id),
      ),
    )
    .orderBy(asc(webhooks.blogId), asc(webhooks.id))
    .all();
}

/** @throws Refusal (missing) if the blog has no webhook with this URL */
export function requireWebhook(platen: Platen, blog: Blog, url: string): Webhook {
  const found = findWebhook(platen, blog, url.trim());
  if (!found) throw notFound(`webhook of the blog ${blog.slug}`);
  return found;
}

/** Finds a webhook by its normalized URL: `HTTP://a.example` is `http://a.example/`. URLs are stored as typed. */
function findWebhook(
  platen: Platen,
  blog: Blog,
  url: string,
  { removedToo = false } = {},
): Webhook | undefined {
  return platen.db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.blogId, blog.id), removedToo ? undefined : isNull(webhooks.removedAt)))
    .all()
    .find((webhook) => normalizeUrl(webhook.url) === normalizeUrl(url));
}

export function normalizeUrl(url: string): string {
  return URL.parse(url)?.href ?? url;
}

/** @returns the URL as typed @throws Refusal (invalid) for `url` */
export function parseWebhookUrl(text: string): string {
  const address = text.trim();
  if (address.length > MAX_URL_LENGTH)
    throw invalid({ url: [`must be at most ${MAX_URL_LENGTH} characters`] });
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid({ url: [`"${address}" must be a URL that begins with https:// or http://`] });
  if (url.username || url.password) throw invalid({ url: ["must not contain a user name or password"] });
  return address;
}
