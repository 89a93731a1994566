import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { type Blog, isNotBeingRemoved } from "../blogs/blogs";
import { deliveries, webhooks } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid, notFound } from "../errors";
import type { Platen } from "../platen";
import { queueEvents } from "./event-queue";
import { ensureSecret } from "./signing-secrets";

export type Webhook = typeof webhooks.$inferSelect;

/** In characters. */
export const MAX_URL_LENGTH = 2000;

/**
 * Sends the blog's events to this address too, and gives the blog's signing secret. An address it has already is
 * left on, or off, as it is; one that was removed before begins anew.
 * @param quietPeriod fold bursts: milliseconds without another event before the last one is sent
 * @throws Refusal (invalid) naming `url`
 */
export function addWebhook(
  platen: Platen,
  blog: Blog,
  url: string,
  { quietPeriod }: { quietPeriod?: number } = {},
): string {
  const address = addressOf(url);
  return inTransaction(platen, () => {
    queueEvents(platen);
    const known = withAddress(platen, blog, address, { removedToo: true });
    if (!known) {
      const fresh = { blogId: blog.id, url: address, createdAt: platen.now(), quietPeriod };
      platen.db.insert(webhooks).values(fresh).run();
    } else {
      const anew = { removedAt: null, pausedAt: null, createdAt: platen.now(), quietPeriod: 0, ...TURNED_ON };
      const changes = { ...(known.removedAt && anew), ...(quietPeriod !== undefined && { quietPeriod }) };
      if (Object.keys(changes).length > 0)
        platen.db.update(webhooks).set(changes).where(eq(webhooks.id, known.id)).run();
    }
    return ensureSecret(platen, blog);
  });
}

/** Sends it nothing more, from what is waiting either; the log of it stays. @throws Refusal (missing) */
export function removeWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    queueEvents(platen);
    const { id } = requireWebhook(platen, blog, url);
    platen.db.update(webhooks).set({ removedAt: platen.now() }).where(eq(webhooks.id, id)).run();
    dropUndelivered(platen, id, platen.now());
  });
}

const TURNED_ON = { disabledAt: null, disabledBecause: null, failingSince: null };

/** Turns on again what was given up. What it missed is not sent by that (see redelivering). @throws Refusal (missing) */
export function enableWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    queueEvents(platen);
    const { id } = requireWebhook(platen, blog, url);
    platen.db.update(webhooks).set(TURNED_ON).where(eq(webhooks.id, id)).run();
  });
}

/** Sends it nothing until `resumeWebhook`; what happens meanwhile waits for that. @throws Refusal (missing) */
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

/** Sends it what has waited, and goes on. The time it was paused for counts as no failure. @throws Refusal (missing) */
export function resumeWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    const { id, pausedAt } = requireWebhook(platen, blog, url);
    if (!pausedAt) return;
    platen.db.update(webhooks).set({ pausedAt: null, failingSince: null }).where(eq(webhooks.id, id)).run();
  });
}

/** Turns an address off and drops what is waiting for it. To be called inside a transaction. @param reason a sentence for the owner */
export function disableWebhook(platen: Platen, webhook: Webhook, at: Date, reason: string): void {
  platen.db
    .update(webhooks)
    .set({ disabledAt: at, disabledBecause: reason })
    .where(eq(webhooks.id, webhook.id))
    .run();
  dropUndelivered(platen, webhook.id, at);
}

/** Deliveries in flight as well, or a crash would make them due again; their outcome, should they have one, replaces this. */
function dropUndelivered(platen: Platen, webhookId: number, at: Date): void {
  platen.db
    .update(deliveries)
    .set({ state: "dropped", dueAt: null, settledAt: at })
    .where(and(eq(deliveries.webhookId, webhookId), inArray(deliveries.state, ["pending", "sending"])))
    .run();
}

/** All that are not removed, those turned off among them; of one blog or of every one. */
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

/** The blog's webhook with this address. @throws Refusal (missing) */
export function requireWebhook(platen: Platen, blog: Blog, url: string): Webhook {
  const found = withAddress(platen, blog, url.trim());
  if (!found) throw notFound(`webhook of the blog ${blog.slug}`);
  return found;
}

/** Addresses are kept as they were typed and compared as URLs: `HTTP://a.example` is `http://a.example/`. */
function withAddress(
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

/** The same for all spellings of an address. */
export function normalizeUrl(url: string): string {
  return URL.parse(url)?.href ?? url;
}

/** The address that was typed, if it can be sent to. @throws Refusal (invalid) naming `url` */
export function addressOf(text: string): string {
  const address = text.trim();
  if (address.length > MAX_URL_LENGTH)
    throw invalid({ url: [`must be at most ${MAX_URL_LENGTH} characters`] });
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid({ url: [`"${address}" must be an address that begins with https:// or http://`] });
  if (url.username || url.password) throw invalid({ url: ["must not hold a user name or password"] });
  return address;
}
