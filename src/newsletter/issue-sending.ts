import { and, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { type Blog, blogById, blogUrl, isNotBeingRemoved } from "../blogs/blogs";
import { findRow, prepareSql, updateRows } from "../database/rows";
import { deliveries, newsletterIssues } from "../database/schema";
import { inInvisibleTransaction, inTransaction } from "../database/transactions";
import type { Channel, ClaimedDelivery, Event, Outcome } from "../deliveries/channel";
import { addDeliveries, recordEvent } from "../deliveries/events-and-debouncing";
import { ensureReceiver, refreshNextDue } from "../deliveries/receivers";
import { isSuccess } from "../deliveries/retries-and-disabling";
import { hashAddress } from "../mail/opt-in";
import { mailPace } from "../mail/relay-settings";
import { MAIL_RETRY_DELAYS_MS, type Mail, sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { isLive, type Post } from "../posts/post/post";
import { postsWithIds } from "../posts/storage/stored-posts";
import { addUnsubscribeLink, type IssueMail, postMail } from "./issue-content";
import type { Issue } from "./issue-scheduling-and-log";
import { hasDeliveries, issueById, issueOfPost, updateIssueOfPost } from "./issue-scheduling-and-log";
import { NEWSLETTER, newsletterOf } from "./newsletter-settings";
import { confirmedAfter, countMail, type Subscriber, subscriberById } from "./subscribers";
import { leaveToken } from "./subscribing-and-unsubscribing";
import { digestMail, postsInDigest } from "./weekly-digest";

const ISSUE_EVENT = "newsletter.issue";
const RELAY = "relay";
/** A larger number would block requests for longer. */
const DELIVERIES_PER_ROUND = 200;

const NEWSLETTER_SHARE = 0.8;

export const newsletterChannel: Channel = {
  name: NEWSLETTER,
  maxOpen: 1,
  pace(platen) {
    const pace = mailPace(platen);
    return { ...pace, starts: Math.ceil(pace.starts * NEWSLETTER_SHARE) };
  },
  isSentOnce: true,
  retryDelaysMs: MAIL_RETRY_DELAYS_MS,
  queue: noticeChangedPost,
  recordDue: sendDueIssues,
  send: sendIssue,
  afterOutcome: countOutcome,
};

function noticeChangedPost(platen: Platen, { blogId, postId, name, occurredAt: at }: Event): void {
  const blog = blogById(platen, blogId);
  const settings = blog && newsletterOf(blog);
  if (!settings || postId === null) return;
  updateIssueOfPost(platen, blog, settings.sends, postId, { isPublication: name === "post.published", at });
}

function sendDueIssues(platen: Platen): number {
  const at = platen.now();
  const { state, dueAt, blogId } = newsletterIssues;
  const isDue = and(sql`${state} = 'waiting'`, lte(dueAt, at), isNotBeingRemoved(blogId));
  const due = findRow(platen, newsletterIssues, isDue, dueAt);
  if (due) inTransaction(platen, () => startIssue(platen, due));
  const isQueueing = queueMails(platen);
  finishIssues(platen);
  return due || isQueueing ? at.getTime() : (nextDue(platen).get()?.at ?? Number.POSITIVE_INFINITY);
}

const nextDue = prepareSql<{ at: number | null }, []>(
  "SELECT min(due_at) AS at FROM newsletter_issues WHERE state = 'waiting'",
);

/** Stores the mail, so that all subscribers get the same content. */
function startIssue(platen: Platen, issue: Issue): void {
  const blog = blogById(platen, issue.blogId) as Blog;
  const isResumed = issue.eventId !== null;
  const canStart = newsletterOf(blog) && (!isResumed || hasDeliveries(platen, issue));
  const mail = canStart && makeMail(platen, blog, issue);
  if (!mail) {
    update(platen, issue.id, { state: "cancelled", dueAt: null });
    return;
  }
  const of = { channel: NEWSLETTER, blogId: blog.id, postId: issue.postId };
  const event = { ...of, name: ISSUE_EVENT, payload: String(issue.id), isQueued: true };
  const eventId = issue.eventId ?? recordEvent(platen, event).id;
  if (isResumed) queueDropped(platen, blog, eventId);
  update(platen, issue.id, { state: "sending", dueAt: null, mail, eventId, queuedTo: 0 });
  const part = { digestId: issue.id, state: "waiting" } as const;
  updateRows(platen, newsletterIssues, part, { state: "sending", eventId });
}

/** Queues the mails that were dropped when the newsletter was turned off. */
function queueDropped(platen: Platen, { id: blogId }: Pick<Blog, "id">, eventId: number): void {
  const receiver = ensureReceiver(platen, { channel: NEWSLETTER, blogId, url: RELAY });
  const pending = { state: "pending" as const, failures: 0, dueAt: platen.now(), settledAt: null };
  updateRows(platen, deliveries, { eventId, state: "dropped" }, pending);
  refreshNextDue(platen, receiver.id);
}

function makeMail(platen: Platen, blog: Blog, issue: Issue): IssueMail | null {
  const ids = issue.postId === null ? postsInDigest(platen, issue) : [issue.postId];
  const posts = postsWithIds(platen, blog, ids).filter(
    (post) => isLive(post, platen.now()) && post.reach?.newsletter !== false,
  );
  const [post] = posts;
  if (!post) return null;
  return issue.postId === null ? digestMail(platen, blog, posts, issue) : postMail(platen, post, issue);
}

function queueMails(platen: Platen): boolean {
  const { id, state, eventId, queuedTo, digestId } = newsletterIssues;
  const isSending = and(sql`${state} = 'sending'`, isNotNull(eventId));
  // Without the `+`, SQLite uses the index of digests, and reads all issues instead of those being sent.
  const isQueueing = and(isSending, isNotNull(queuedTo), isNull(sql`+${digestId}`));
  const issue = findRow(platen, newsletterIssues, isQueueing, id);
  if (!issue) return false;
  inInvisibleTransaction(platen, () => {
    const { blogId, eventId, queuedTo } = issue;
    const ids = confirmedAfter(platen, blogId, queuedTo as number, DELIVERIES_PER_ROUND);
    const receiver = ensureReceiver(platen, { channel: NEWSLETTER, blogId, url: RELAY });
    if (ids.length > 0) addDeliveries(platen, eventId as number, receiver.id, ids.map(String));
    const isLast = ids.length < DELIVERIES_PER_ROUND;
    update(platen, issue.id, { queuedTo: isLast ? null : (ids.at(-1) as number) });
  });
  return true;
}

function finishIssues(platen: Platen): void {
  for (const { id } of finished(platen).all())
    inTransaction(platen, () => {
      update(platen, id, { state: "sent", sentAt: platen.now() });
      updateRows(platen, newsletterIssues, { digestId: id, state: "sending" }, { state: "sent" });
    });
}

/** SQLite uses the two partial indexes of pending deliveries only with one subquery for each. */
const finished = prepareSql<{ id: number }, []>(`
    SELECT id FROM newsletter_issues AS issue WHERE state = 'sending' AND event_id IS NOT NULL AND queued_to IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM deliveries JOIN receivers ON receivers.id = receiver_id
        WHERE receivers.blog_id = issue.blog_id AND receivers.channel = '${NEWSLETTER}'
          AND deliveries.state = 'pending' AND attempts = 0 AND event_id = issue.event_id)
      AND NOT EXISTS (
        SELECT 1 FROM deliveries JOIN receivers ON receivers.id = receiver_id
        WHERE receivers.blog_id = issue.blog_id AND receivers.channel = '${NEWSLETTER}'
          AND deliveries.state = 'pending' AND attempts > 0 AND event_id = issue.event_id)
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE state = 'sending' AND event_id = issue.event_id)`);

function update(platen: Platen, id: number, changes: Partial<Issue>): void {
  updateRows(platen, newsletterIssues, { id }, changes);
}

async function sendIssue(platen: Platen, claimed: ClaimedDelivery): Promise<Outcome> {
  const found = issueAndReader(platen, claimed);
  const blog = found && blogById(platen, found.issue.blogId);
  if (found?.reader?.state !== "confirmed" || !found.issue.mail || !blog)
    return { failure: "they have unsubscribed", end: "dropped" };
  const { issue, reader } = found;
  return await sendMail(platen, mailTo(platen, blog, issue.mail as IssueMail, reader, issue.id));
}

/** @param issueId unsubscriptions are counted for this issue; null for a test */
function mailTo(
  platen: Platen,
  blog: Blog,
  mail: IssueMail,
  reader: Pick<Subscriber, "id" | "address" | "addressHash">,
  issueId: number | null,
): Mail {
  const url = blogUrl(platen, blog);
  const { hostname } = new URL(url);
  const query = issueId === null ? "" : `?issue=${issueId}`;
  const leave = `${url}${NEWSLETTER}/leave/${leaveToken(platen, reader)}${query}`;
  const place = blog.domain ? hostname : `${blog.slug}.${hostname}`;
  return {
    to: reader.address as string,
    fromName: blog.title,
    ...addUnsubscribeLink(mail, leave),
    ...(issueId !== null && { messageId: `newsletter-${issueId}.${reader.id}@${hostname}` }),
    headers: {
      "List-ID": `<${NEWSLETTER}.${place}>`,
      "List-Unsubscribe": `<${leave}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}

/** @returns the error as a part of a sentence; undefined if the relay accepted the mail */
export async function sendTestIssue(platen: Platen, post: Post, to: string): Promise<string | undefined> {
  const mail = postMail(platen, post, issueOfPost(platen, post.id) ?? { subject: "", preview: "" });
  // No subscriber has this id, so the unsubscribe link leads to a page that changes nothing.
  const reader = { id: 0, address: to, addressHash: hashAddress(to) };
  const test = { ...mail, subject: `Test: ${mail.subject}` };
  return (await sendMail(platen, mailTo(platen, post.blog, test, reader, null))).failure;
}

/** Call this in the transaction that records the outcome. */
function countOutcome(platen: Platen, claimed: ClaimedDelivery, outcome: Outcome): void {
  const found = issueAndReader(platen, claimed);
  if (!found) return;
  const { issue, reader } = found;
  const isSent = isSuccess(outcome);
  const isRejected = outcome.end === "failed";
  const isLastAttempt = claimed.failures >= MAIL_RETRY_DELAYS_MS.length;
  const hasFailed = isRejected || (!isSent && !outcome.end && !outcome.pauseFor && isLastAttempt);
  const isBounced = reader !== undefined && (isSent || isRejected) && countMail(platen, reader, isRejected);
  if (isSent) update(platen, issue.id, { sentCount: issue.sentCount + 1 });
  if (hasFailed) update(platen, issue.id, { failedCount: issue.failedCount + 1 });
  if (isBounced) update(platen, issue.id, { bouncedCount: issue.bouncedCount + 1 });
}

function issueAndReader(platen: Platen, { event, target }: ClaimedDelivery) {
  const issue = issueById(platen, Number(event.payload));
  if (!issue) return null;
  return { issue, reader: subscriberById(platen, { id: issue.blogId }, Number(target)) };
}
