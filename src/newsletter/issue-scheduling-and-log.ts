import { and, desc, eq, inArray, isNotNull, lt, or, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import {
  countRows,
  findRow,
  findRowByColumn,
  findRows,
  findValues,
  hasRow,
  hasValues,
  updateRows,
  upsertRow,
} from "../database/rows";
import { attempts, deliveries, events, newsletterIssues, posts, subscribers } from "../database/schema";
import { isLastAttempt, redeliver } from "../deliveries/delivery-log-and-redelivery";
import { assertNoFieldErrors, conflict, type FieldErrors, notFound } from "../errors";
import type { Platen } from "../platen";
import { isLive, type Post, type PostRow } from "../posts/post/post";
import { goesTo, isNew } from "../posts/post/reach-channels";
import { postRow } from "../posts/storage/stored-posts";
import { oneLine } from "../text/clean-text";
import { MAX_ISSUE_LENGTHS } from "./issue-content";
import { openDigest } from "./weekly-digest";

export type Issue = typeof newsletterIssues.$inferSelect;

/** Each post, only posts that the author selects, or one mail per week. */
export const NEWSLETTER_MODES = ["each", "ticked", "weekly"] as const;
export type NewsletterMode = (typeof NEWSLETTER_MODES)[number];

export const issueById = findRowByColumn(newsletterIssues, "id");
export const issueOfPost = findRowByColumn(newsletterIssues, "postId");

export function requireIssue(platen: Platen, blog: Pick<Blog, "id">, id: number): Issue {
  const issue = issueById(platen, id);
  if (issue?.blogId !== blog.id) throw notFound("issue");
  return issue;
}

/**
 * Call this in a transaction, after the post changed.
 * @param isPublication whether the post has just become public
 */
export function updateIssueOfPost(
  platen: Platen,
  blog: Blog,
  mode: NewsletterMode,
  postId: number,
  { isPublication, at }: { isPublication: boolean; at: Date },
): void {
  const post = postRow(platen, postId);
  const issue = issueOfPost(platen, postId);
  if (isOver(platen, issue)) return;
  const isWanted =
    post !== undefined &&
    isLive(post, platen.now()) &&
    isChosen(platen, post, mode, isPublication || issue?.state === "waiting");
  if (isWanted && issue?.state !== "waiting") queueIssue(platen, blog, mode, post, at);
  else if (!isWanted && issue?.state === "waiting") markCancelled(platen, issue);
}

/** Also true if an issue was interrupted, and the deliveries that show who has the mail were deleted. */
function isOver(platen: Platen, issue: Issue | undefined): boolean {
  if (!issue) return false;
  if (isStarted(issue)) return true;
  if (issue.eventId === null) return false;
  const mail = issue.digestId === null ? issue : issueById(platen, issue.digestId);
  return !mail || isStarted(mail) || !hasDeliveries(platen, issue);
}

function isStarted({ state }: Pick<Issue, "state">): boolean {
  return state === "sending" || state === "sent";
}

export function hasDeliveries(platen: Platen, { eventId }: Pick<Issue, "eventId">): boolean {
  return eventId !== null && hasRow(platen, events, { id: eventId });
}

function isChosen(platen: Platen, post: PostRow, mode: NewsletterMode, isDue: boolean): boolean {
  if (post.type !== "post" || !goesTo(post, "newsletter", mode !== "ticked")) return false;
  return post.reach?.newsletter === true || (isDue && isNew(post, platen.now()));
}

function queueIssue(
  platen: Platen,
  blog: Blog,
  mode: NewsletterMode,
  post: Pick<PostRow, "id">,
  at = platen.now(),
): Issue {
  const inDelay = new Date(at.getTime() + platen.config.newsletterDelay);
  const interrupted = issueOfPost(platen, post.id);
  if (interrupted && interrupted.eventId !== null) return resumeIssue(platen, interrupted, inDelay);
  const digestId = mode === "weekly" ? openDigest(platen, blog).id : null;
  const fields = { state: "waiting" as const, dueAt: digestId === null ? inDelay : null, digestId };
  const values = { blogId: blog.id, postId: post.id, createdAt: at, ...fields };
  return upsertRow(platen, newsletterIssues, values, ["postId"], ["blogId", "createdAt"]);
}

/** Resumes the whole digest if the post was in one, because some subscribers have its other posts too. */
function resumeIssue(platen: Platen, issue: Issue, dueAt: Date): Issue {
  const { id, blogId, digestId, eventId } = issue;
  updateRows(platen, newsletterIssues, { blogId, eventId, state: "cancelled" }, { state: "waiting" });
  updateRows(platen, newsletterIssues, { id: digestId ?? id }, { dueAt });
  return issueById(platen, id) as Issue;
}

/** Queues the mail, or adds the post to the next digest if `mode` is "weekly". */
export function sendPost(platen: Platen, post: Post, mode: NewsletterMode): Issue {
  const issue = issueOfPost(platen, post.id);
  if (isOver(platen, issue)) throw conflict("This post has already been sent. A post is never sent twice.");
  if (!isLive(post, platen.now())) throw conflict("Publish the post first.");
  setChoice(platen, post.id, true);
  return issue?.state === "waiting" ? issue : queueIssue(platen, post.blog, mode, post);
}

/** Also turns the mail off for the post, so that a later edit does not queue it again. */
export function cancelIssue(platen: Platen, issue: Issue): void {
  if (issue.state !== "waiting") throw conflict("This e-mail has already been sent.");
  markCancelled(platen, issue);
  if (issue.postId !== null) setChoice(platen, issue.postId, false);
  updateRows(platen, newsletterIssues, { digestId: issue.id, state: "waiting" }, { state: "cancelled" });
}

/** Does not change `updatedAt`, because readers see no difference. */
function setChoice(platen: Platen, postId: number, isSent: boolean): void {
  const reach = { ...postRow(platen, postId)?.reach, newsletter: isSent };
  updateRows(platen, posts, { id: postId }, { reach });
}

/** A mail that is being sent may arrive, so it becomes `unsure`. Call this before the receivers change. */
export function cancelIssuesOfBlog(platen: Platen, { id: blogId }: Pick<Blog, "id">): void {
  const isSending = { blogId, state: "sending" as const };
  const events = findValues(platen, newsletterIssues, "eventId", isSending).filter((id) => id !== null);
  const isOpen = and(eq(deliveries.state, "sending"), inArray(deliveries.eventId, events));
  updateRows(platen, deliveries, isOpen, { state: "unsure", dueAt: null, settledAt: platen.now() });
  for (const state of ["sending", "waiting"] as const)
    updateRows(platen, newsletterIssues, { blogId, state }, { state: "cancelled", dueAt: null });
}

function markCancelled(platen: Platen, { id }: Pick<Issue, "id">): void {
  updateRows(platen, newsletterIssues, { id }, { state: "cancelled", dueAt: null });
}

export function editIssueOfPost(
  platen: Platen,
  post: Pick<PostRow, "id" | "blogId">,
  typed: { subject: string; preview: string },
): void {
  const words = { subject: oneLine(typed.subject), preview: oneLine(typed.preview) };
  const errors: FieldErrors = {};
  for (const name of ["subject", "preview"] as const)
    if (words[name].length > MAX_ISSUE_LENGTHS[name])
      errors[name] = [`must be at most ${MAX_ISSUE_LENGTHS[name]} characters`];
  assertNoFieldErrors(errors);
  const issue = issueOfPost(platen, post.id);
  if (issue && isStarted(issue)) throw conflict("This e-mail has already been sent.");
  const values = { blogId: post.blogId, postId: post.id, createdAt: platen.now(), ...words };
  upsertRow(platen, newsletterIssues, values, ["postId"], ["blogId", "createdAt"]);
}

export const NEWSLETTER_STATES = ["none", "queued", "sent"] as const;

export function newsletterState(issue: Pick<Issue, "state"> | undefined): (typeof NEWSLETTER_STATES)[number] {
  if (issue?.state === "waiting" || issue?.state === "sending") return "queued";
  return issue?.state === "sent" ? "sent" : "none";
}

/** Newest first. Posts in a digest are not listed separately. */
export function listIssues(platen: Platen, blog: Pick<Blog, "id">, before: number | null, limit: number) {
  const { state, eventId, id } = newsletterIssues;
  const isListed = and(
    hasValues(newsletterIssues, { blogId: blog.id, digestId: null }),
    or(inArray(state, ["waiting", "sending", "sent"]), and(eq(state, "cancelled"), isNotNull(eventId))),
    before === null ? undefined : lt(id, before),
  );
  return findRows(platen, newsletterIssues, isListed, { orderBy: desc(id), limit });
}

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
