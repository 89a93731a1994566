import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { type Blog, blogById } from "../blogs/blogs";
import { blogs, deliveries, webhooks } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict, invalid, notFound } from "../errors";
import type { Platen } from "../platen";
import { queueEvents } from "./queueing";
import { newSecret } from "./signatures";

export type Webhook = typeof webhooks.$inferSelect;

const LONGEST_URL = 2000;
/** How long a replaced secret goes on signing beside the new one, in milliseconds. */
const FORMER_SIGNS_FOR = 24 * 60 * 60 * 1000;

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
    const known = withAddress(platen, blog, address, "removed too");
    if (!known) {
      const fresh = { blogId: blog.id, url: address, createdAt: platen.now(), quietPeriod };
      platen.db.insert(webhooks).values(fresh).run();
    } else {
      const anew = { removedAt: null, createdAt: platen.now(), quietPeriod: 0, ...TURNED_ON };
      const changes = { ...(known.removedAt && anew), ...(quietPeriod !== undefined && { quietPeriod }) };
      if (Object.keys(changes).length > 0)
        platen.db.update(webhooks).set(changes).where(eq(webhooks.id, known.id)).run();
    }
    return secretOf(platen, blog);
  });
}

/** Sends it nothing more, from what is waiting either; the log of it stays. @throws Refusal (missing) */
export function removeWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    queueEvents(platen);
    const { id } = webhookOf(platen, blog, url);
    platen.db.update(webhooks).set({ removedAt: platen.now() }).where(eq(webhooks.id, id)).run();
    dropWaiting(platen, id, platen.now());
  });
}

const TURNED_ON = { disabledAt: null, disabledBecause: null, failingSince: null };

/** Turns on again what was given up. What it missed is not sent by that (see redelivering). @throws Refusal (missing) */
export function enableWebhook(platen: Platen, blog: Blog, url: string): void {
  inTransaction(platen, () => {
    queueEvents(platen);
    const { id } = webhookOf(platen, blog, url);
    platen.db.update(webhooks).set(TURNED_ON).where(eq(webhooks.id, id)).run();
  });
}

/** Turns an address off, with the reason for its owner; what was waiting for it is dropped. */
export function disableWebhook(platen: Platen, webhook: Webhook, at: Date, reason: string): void {
  platen.db
    .update(webhooks)
    .set({ disabledAt: at, disabledBecause: reason })
    .where(eq(webhooks.id, webhook.id))
    .run();
  dropWaiting(platen, webhook.id, at);
}

/** What is being sent too, lest it be due again after a crash; where it comes to an end, that is written over this. */
function dropWaiting(platen: Platen, webhookId: number, at: Date): void {
  platen.db
    .update(deliveries)
    .set({ state: "dropped", dueAt: null, settledAt: at })
    .where(and(eq(deliveries.webhookId, webhookId), inArray(deliveries.state, ["pending", "sending"])))
    .run();
}

/** A new signing secret for the blog; the former one signs too for a day, so that receivers can change over. */
export function rotateSecret(platen: Platen, blog: Blog): string {
  return inTransaction(platen, () => {
    const formerSecret = blogById(platen, blog.id)?.webhookSecret;
    if (!formerSecret) throw conflict(`The blog ${blog.slug} has no webhooks, and so no secret.`);
    const webhookSecret = newSecret();
    const formerSecretUntil = new Date(platen.now().getTime() + FORMER_SIGNS_FOR);
    platen.db
      .update(blogs)
      .set({ webhookSecret, formerSecret, formerSecretUntil })
      .where(eq(blogs.id, blog.id))
      .run();
    return webhookSecret;
  });
}

/** Every blog's, or one blog's. */
export function listWebhooks(platen: Platen, blog?: Blog): Webhook[] {
  return platen.db
    .select()
    .from(webhooks)
    .where(and(isNull(webhooks.removedAt), blog && eq(webhooks.blogId, blog.id)))
    .orderBy(asc(webhooks.blogId), asc(webhooks.id))
    .all();
}

/** The blog's webhook with this address. @throws Refusal (missing) */
export function webhookOf(platen: Platen, blog: Blog, url: string): Webhook {
  const found = withAddress(platen, blog, url.trim());
  if (!found) throw notFound(`webhook of the blog ${blog.slug}`);
  return found;
}

/** Addresses are kept as they were written, and compared as they are meant. */
function withAddress(platen: Platen, blog: Blog, url: string, which?: "removed too"): Webhook | undefined {
  const meant = (text: string) => URL.parse(text)?.href ?? text;
  return platen.db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.blogId, blog.id), which ? undefined : isNull(webhooks.removedAt)))
    .all()
    .find((webhook) => meant(webhook.url) === meant(url));
}

function addressOf(text: string): string {
  const address = text.trim();
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid({ url: [`"${address}" must be an address that begins with https:// or http://`] });
  if (url.username || url.password) throw invalid({ url: ["must not hold a user name or password"] });
  if (address.length > LONGEST_URL) throw invalid({ url: [`must be at most ${LONGEST_URL} characters`] });
  return address;
}

/** Made when the blog's first address is. */
function secretOf(platen: Platen, blog: Blog): string {
  const kept = blogById(platen, blog.id)?.webhookSecret;
  if (kept) return kept;
  const webhookSecret = newSecret();
  platen.db.update(blogs).set({ webhookSecret }).where(eq(blogs.id, blog.id)).run();
  return webhookSecret;
}
