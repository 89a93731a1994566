import { blogById } from "../blogs/blogs";
import type { ClaimedDelivery, Event, Outcome } from "../deliveries/channel";
import { outcomeOf, retryAfterOf } from "../deliveries/outgoing-request";
import type { HttpClient } from "../outgoing/http-client";
import { firstBytes } from "../outgoing/response-body";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import { actorOfBlog, type BlogActor } from "./blog-actors";
import { dropFollowersAt } from "./followers";
import { postActivity } from "./post-objects";
import { sendSigned } from "./remote-documents";
import { replyActivity } from "./replies";
import { queueFor, queueForFollowers, storeActivity } from "./sending";

const GONE = 410;
const MAX_ANSWER_BYTES = 1024;

/** Turns a change of a post, or a reply to a komment, into an activity, and queues it. */
export function queueActivity(platen: Platen, event: Event): void {
  const actor = actorOf(platen, event.blogId);
  if (!actor || event.postId === null) return;
  if (event.name === "komment.answered") {
    const [kommentId = 0, writerId = 0] = event.payload.split(" ").map(Number);
    const reply = replyActivity(platen, actor, kommentId, writerId);
    if (!reply) return;
    storeActivity(platen, event.id, reply.activity);
    if (reply.inbox !== null) queueFor(platen, event.id, actor, reply.inbox);
  } else {
    const activity = postActivity(platen, actor, event.postId, event.name === "post.published");
    if (!activity) return;
    storeActivity(platen, event.id, activity);
  }
  queueForFollowers(platen, event.id, actor);
}

function actorOf(platen: Platen, blogId: number | null): BlogActor | undefined {
  const blog = blogId === null ? undefined : blogById(platen, blogId);
  return blog && actorOfBlog(platen, blog);
}

/** Makes one attempt, signed by the blog's key. */
export async function sendActivity(
  platen: Platen,
  { event, receiver }: ClaimedDelivery,
  { outgoing, stop }: { outgoing: HttpClient; stop: AbortSignal },
): Promise<Outcome | null> {
  const began = platen.now();
  const actor = actorOf(platen, receiver.blogId);
  const outcome = (known: Partial<Outcome>) => outcomeOf(platen, began, known);
  if (!actor) return outcome({ failure: "the fediverse is turned off", end: "dropped" });
  const sending = { method: "POST" as const, url: receiver.url, body: event.payload, stop };
  const response = await sendSigned(platen, actor, sending, outgoing);
  if ("failed" in response) return response.kind === "stopped" ? null : outcome({ failure: response.failed });
  const answered = outcome({ status: response.answered });
  const answer = cleanText(new TextDecoder().decode(await firstBytes(response, MAX_ANSWER_BYTES)));
  return { ...answered, answer, retryAfter: retryAfterOf(response.headers["retry-after"]) };
}

/** Removes the followers of an inbox that says that it no longer exists. */
export function recordDeadInbox(platen: Platen, { receiver }: ClaimedDelivery, { status }: Outcome): void {
  if (status === GONE && receiver.blogId !== null) dropFollowersAt(platen, receiver.blogId, receiver.url);
}
