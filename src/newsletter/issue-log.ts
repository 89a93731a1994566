import { and, desc, eq, sql } from "drizzle-orm";
import { countRows, findRow } from "../database/rows";
import { attempts, deliveries, subscribers } from "../database/schema";
import { isLastAttempt } from "../deliveries/delivery-log";
import { redeliver } from "../deliveries/redeliver";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import { postRow } from "../posts/storage/stored-posts";
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
export function countUnsure(platen: Platen, { eventId }: Pick<Issue, "eventId">): number {
  return eventId === null ? 0 : countRows(platen, deliveries, { eventId, state: "unsure" });
}

export function countLeft(platen: Platen, { id }: Pick<Issue, "id">): number {
  return countRows(platen, subscribers, { leftIssueId: id });
}

export type UndeliveredMail = ReturnType<typeof undeliveredMails>[number];

const MAX_UNDELIVERED = 200;

const isUndelivered = sql`(${deliveries.state} in ('failed', 'unsure')
  or (${deliveries.state} = 'pending' and ${deliveries.failures} > 0))`;

/** Newest first. */
export function undeliveredMails({ db }: Platen, { eventId }: Pick<Issue, "eventId">) {
  const state = sql<"failed" | "unsure" | "pending">`${deliveries.state}`;
  const failure = sql<string | null>`coalesce(${attempts.failure}, ${attempts.status})`;
  return db
    .select({ deliveryId: deliveries.id, state, address: subscribers.address, failure })
    .from(deliveries)
    .leftJoin(subscribers, sql`${subscribers.id} = cast(${deliveries.target} as integer)`)
    .leftJoin(attempts, isLastAttempt)
    .where(and(eq(deliveries.eventId, eventId ?? 0), isUndelivered))
    .orderBy(desc(deliveries.id))
    .limit(MAX_UNDELIVERED)
    .all();
}

/** A mail in state `unsure` may then arrive twice. */
export function sendMailAgain(platen: Platen, { eventId }: Pick<Issue, "eventId">, deliveryId: number): void {
  const row = findRow(platen, deliveries, { id: deliveryId });
  if (!row || row.eventId !== eventId || !["failed", "unsure"].includes(row.state)) throw notFound("mail");
  redeliver(platen, deliveryId);
}
