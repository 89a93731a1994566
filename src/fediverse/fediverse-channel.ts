import { MINUTE, SECOND } from "../config/units";
import { deleteRows, prepareSql } from "../database/rows";
import { CHANGED_PROFILES, followers } from "../database/schema";
import { inInvisibleTransaction } from "../database/transactions";
import type { Channel, ClaimedDelivery, Event, Outcome, SendTools } from "../deliveries/channel";
import { deliverTo, recordEvent } from "../deliveries/events-and-debouncing";
import { outcomeOfRequest } from "../deliveries/outgoing-request";
import type { Platen } from "../platen";
import { actorOfBlogId, type BlogActor, FEDIVERSE } from "./blog-actors";
import { sendChangedProfiles } from "./fediverse-account";
import { followersAt } from "./followers-and-dead-inboxes";
import { lookUpMentions } from "./mentions";
import { mentionedHandles, postActivity, replyActivity } from "./post-and-reply-activities";
import { queueNews } from "./queueing-activities";
import { fetchActor } from "./remote-actors";
import { GONE, NOT_FOUND, sendSigned } from "./remote-documents";

/**
 * Receiver that stands for no inbox: a delivery to it looks up the mentions of a post, then queues the post.
 */
const LOOKUP = "mentions";

export const fediverseChannel: Channel = {
  name: FEDIVERSE,
  maxOpen: 16,
  // Servers fetch a linked page when they receive a link, so slow sending spreads these requests.
  pace: () => ({ starts: 4, within: SECOND }),
  disablesReceivers: true,
  recordDue: sendDueUpdates,
  queue: queueActivity,
  send: sendActivity,
  afterOutcome(platen, { receiver: { blogId, url } }, { status }) {
    if (status === GONE && blogId !== null) deleteRows(platen, followers, { blogId, inbox: url });
  },
};

function queueActivity(platen: Platen, event: Event): void {
  const actor = actorOfBlogId(platen, event.blogId);
  if (!actor || event.postId === null) return;
  if (event.name === "komment.answered") {
    const [kommentId = 0, writerId = 0] = event.payload.split(" ").map(Number);
    queueNews(platen, event, replyActivity(platen, actor, kommentId, writerId));
  } else if (mentionedHandles(platen, actor, event.postId).length > 0 || isLookingUp(platen, actor))
    deliverTo(platen, event, LOOKUP);
  else queueNews(platen, event, postActivity(platen, actor, event, []));
}

/** A later change must not overtake a change that waits for a lookup. */
function isLookingUp(platen: Platen, { blogId }: BlogActor): boolean {
  return lookups(platen).get(blogId) !== null;
}

const lookups = prepareSql<unknown, [number]>(`
  SELECT 1 FROM receivers JOIN deliveries ON receiver_id = receivers.id AND state IN ('pending', 'sending')
  WHERE blog_id = ? AND channel = '${FEDIVERSE}' AND url = '${LOOKUP}' LIMIT 1`);

type DueRow = { blogId: number; kind: "post" | "reply"; subjectId: number; mentions: string };

const MAX_PER_LOOK = 20;
/** Repeats the condition of the partial index `sent_objects_due`. Otherwise SQLite does not use the index. */
const DUE_OBJECTS = `FROM sent_objects WHERE state = 'live' AND digest = ''
  AND (SELECT reach -> '$.fediverse' FROM blogs WHERE blogs.id = blog_id) IS NOT NULL`;
const dueObjects = prepareSql<DueRow, [number, number]>(`
  SELECT blog_id AS blogId, kind, subject_id AS subjectId, mentions ${DUE_OBJECTS}
  AND changed_at <= ? ORDER BY changed_at LIMIT ?`);
const nextDue = prepareSql<{ at: number | null }, []>(`
  SELECT min(at) AS at FROM (SELECT min(changed_at) AS at ${DUE_OBJECTS}
  UNION ALL SELECT min(blogs.updated_at) + ${MINUTE} ${CHANGED_PROFILES})`);

function sendDueUpdates(platen: Platen): number {
  const at = platen.now();
  const next = () => nextDue(platen).get()?.at ?? Number.POSITIVE_INFINITY;
  if (next() > at.getTime()) return next();
  sendChangedProfiles(platen);
  for (const { blogId, kind, subjectId, mentions } of dueObjects(platen).all(at.getTime(), MAX_PER_LOOK))
    inInvisibleTransaction(platen, () => {
      const actor = actorOfBlogId(platen, blogId);
      if (!actor) return;
      const postId = kind === "post" ? subjectId : null;
      const update = { channel: FEDIVERSE, blogId, postId, name: "post.updated", at, isQueued: true };
      const event = recordEvent(platen, update);
      const news =
        postId === null
          ? replyActivity(platen, actor, subjectId, 0)
          : postActivity(platen, actor, event, JSON.parse(mentions));
      queueNews(platen, event, news);
    });
  return Math.max(next(), at.getTime() + SECOND);
}

async function sendActivity(
  platen: Platen,
  { event, receiver }: ClaimedDelivery,
  { at, outgoing, stop }: SendTools,
): Promise<Outcome | null> {
  const actor = actorOfBlogId(platen, receiver.blogId);
  if (!actor) return { failure: "the fediverse is turned off", end: "dropped" };
  if (receiver.url === LOOKUP) {
    const handles = mentionedHandles(platen, actor, event.postId as number);
    const mentions = await lookUpMentions(platen, actor, handles, stop);
    if (stop.aborted) return null;
    inInvisibleTransaction(platen, () =>
      queueNews(platen, event, postActivity(platen, actor, event, mentions)),
    );
    return { status: 200 };
  }
  const sending = { method: "POST" as const, url: receiver.url, body: event.payload, stop };
  const outcome = await outcomeOfRequest(sendSigned(platen, actor, sending, outgoing), at);
  // `fetchActor` deletes the follower if the server reports 404 or 410.
  if (outcome?.status === NOT_FOUND)
    for (const url of followersAt(platen, actor, receiver.url)) await fetchActor(platen, actor, url, stop);
  return outcome;
}
