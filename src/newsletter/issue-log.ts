import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import { attempts, deliveries, subscribers } from "../database/schema";
import { redeliver } from "../deliveries/redeliver";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import { postRow } from "../posts/storage/post-rows";
import type { Issue } from "./issue-scheduling";

export function issueTitle(platen: Platen, { subject, mail, postId }: Issue): string {
  if (mail) return mail.subject;
  if (subject) return subject;
  const post = postRow(platen, postId);
  return post ? post.title || post.slug : "Weekly digest";
}

/**
 * Counts mails that were being sent when the server crashed or the connection broke. They may have arrived.
 */
export function countUnsure({ db }: Platen, { eventId }: Pick<Issue, "eventId">): number {
  if (eventId === null) return 0;
  const isUnsure = and(eq(deliveries.eventId, eventId), eq(deliveries.state, "unsure"));
  return db.select({ n: count() }).from(deliveries).where(isUnsure).get()?.n ?? 0;
}

export function countLeft({ db }: Platen, { id }: Pick<Issue, "id">): number {
  return db.select({ n: count() }).from(subscribers).where(eq(subscribers.leftIssueId, id)).get()?.n ?? 0;
}

export interface UndeliveredMail {
  deliveryId: number;
  state: "failed" | "unsure" | "pending";
  address: string | null;
  failure: string | null;
}

const MAX_UNDELIVERED = 200;

/** Newest first. */
export function undeliveredMails({ db }: Platen, { eventId }: Pick<Issue, "eventId">): UndeliveredMail[] {
  if (eventId === null) return [];
  const isShown = and(
    eq(deliveries.eventId, eventId),
    sql`(${deliveries.state} in ('failed', 'unsure') or (${deliveries.state} = 'pending' and ${deliveries.failures} > 0))`,
  );
  const rows = db
    .select({ deliveryId: deliveries.id, state: deliveries.state, address: subscribers.address })
    .from(deliveries)
    .leftJoin(subscribers, sql`${subscribers.id} = cast(${deliveries.target} as integer)`)
    .where(isShown)
    .orderBy(desc(deliveries.id))
    .limit(MAX_UNDELIVERED)
    .all();
  const ids = rows.map(({ deliveryId }) => deliveryId);
  const tries = db
    .select()
    .from(attempts)
    .where(inArray(attempts.deliveryId, ids))
    .orderBy(attempts.id)
    .all();
  const failures = new Map(
    tries.map(({ deliveryId, failure, status }) => [deliveryId, failure ?? String(status)]),
  );
  return rows.map((row) => ({
    ...row,
    state: row.state as UndeliveredMail["state"],
    failure: failures.get(row.deliveryId) ?? null,
  }));
}

/** A mail in state `unsure` may then arrive twice. */
export function sendMailAgain(platen: Platen, { eventId }: Pick<Issue, "eventId">, deliveryId: number): void {
  const row = platen.db.select().from(deliveries).where(eq(deliveries.id, deliveryId)).get();
  if (!row || row.eventId !== eventId || !["failed", "unsure"].includes(row.state)) throw notFound("mail");
  redeliver(platen, deliveryId);
}
