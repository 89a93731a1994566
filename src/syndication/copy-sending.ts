import { type Blog, blogById, postUrl } from "../blogs/blogs";
import { deleteRows, insertRow, updateRows } from "../database/rows";
import { copies } from "../database/schema";
import type { Channel, Event, Outcome, SendTools } from "../deliveries/channel";
import { addDeliveries } from "../deliveries/events-and-debouncing";
import { changeReceiver } from "../deliveries/receivers";
import type { Platen } from "../platen";
import { isLive, type PostRow } from "../posts/post/post";
import { goesTo, isNew } from "../posts/post/reach-channels";
import { livePost } from "../posts/reading/finding-posts";
import { postRow } from "../posts/storage/stored-posts";
import { bluesky } from "./bluesky";
import { copyContent, digestsOf } from "./copy-content";
import { CallFailed, NOT_ALLOWED, type Sender, type Service } from "./copy-service";
import { mastodon } from "./mastodon";
import {
  accountAt,
  type Copy,
  type CopyAccount,
  copiesByDefault,
  copyAccount,
  findCopy,
  newRecordKey,
  REPLY_CHECK_DELAYS_MS,
  SERVICE_LABELS,
  type ServiceName,
} from "./stored-copies";

export const SERVICES: Record<ServiceName, Service> = { bluesky, mastodon };

function copyChannel(name: ServiceName): Channel {
  return {
    name,
    maxOpen: 4,
    disablesReceivers: true,
    queue: queueCopy,
    send: (platen, { receiver, event }, tools) =>
      attempt(platen, tools, accountAt(platen, receiver.id), async (sender, account) => {
        const copy = findCopy(platen, { postId: event.postId as number, receiverId: receiver.id });
        return copy ? await updateCopy(sender, account, copy) : "There is nothing left to send.";
      }),
    /** Unlike `disableReceiver`, keeps queued copies. They are sent when the account is connected again. */
    afterOutcome(platen, { receiver }, { status }) {
      if (!NOT_ALLOWED.includes(status ?? 0)) return;
      const disabledBecause = `${SERVICE_LABELS[name]} refused the sign-in.`;
      changeReceiver(platen, receiver.id, { disabledAt: platen.now(), disabledBecause });
    },
  };
}

export const blueskyChannel = copyChannel("bluesky");
export const mastodonChannel = copyChannel("mastodon");

export async function attempt(
  platen: Platen,
  { outgoing, stop }: SendTools,
  account: CopyAccount | undefined,
  work: (sender: Sender, account: CopyAccount) => Promise<string>,
): Promise<Outcome | null> {
  if (!account) return { failure: "The account was disconnected.", end: "dropped" };
  try {
    return { status: 200, answer: await work({ platen, outgoing, stop, blogId: account.blogId }, account) };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return error.isStopped ? null : error.outcome;
  }
}

async function updateCopy(sender: Sender, account: CopyAccount, copy: Copy): Promise<string> {
  const { platen } = sender;
  const service = SERVICES[account.service];
  const post = livePost(platen, copy.postId);
  if (!post || (!copy.sentAt && !isCopied(platen, post.blog, post, account.service))) {
    const row = postRow(platen, copy.postId);
    const blog = blogById(platen, copy.blogId);
    await service.remove(sender, account, copy, row && blog ? postUrl(platen, blog, row) : "");
    deleteRows(platen, copies, { id: copy.id });
    return "Deleted.";
  }
  const content = copyContent(platen, post);
  const [whole, pictures] = digestsOf(content);
  const [wholeBefore, picturesBefore] = copy.digest.split(" ");
  const at = platen.now();
  if (copy.sentAt) {
    const isTooLate = at.getTime() - copy.sentAt.getTime() > service.editableMs;
    if (isTooLate || whole === wholeBefore) return "Nothing to change.";
  }
  const hasSamePictures = pictures === picturesBefore;
  const published = await service.publish(sender, account, copy, content, hasSamePictures);
  const checkAt = new Date(at.getTime() + REPLY_CHECK_DELAYS_MS[0]);
  const sent = copy.sentAt ? {} : { sentAt: at, checkAt };
  // Without `keepDataVersion`, so that the response cache is invalidated and pages link to the copy.
  updateRows(platen, copies, { id: copy.id }, { ...published, digest: `${whole} ${pictures}`, ...sent });
  return published.url;
}

/** Whether a post without a copy gets one. */
export function isCopied(platen: Platen, blog: Blog, post: PostRow, service: ServiceName): boolean {
  const at = platen.now();
  if (!isLive(post, at) || post.type !== "post") return false;
  const isChosen = goesTo(post, service, copiesByDefault(blog, service) === true);
  return isChosen && (post.reach?.[service] === true || isNew(post, at));
}

function queueCopy(platen: Platen, { id, channel, blogId, postId, name, occurredAt }: Event): void {
  const service = channel as ServiceName;
  const blog = blogById(platen, blogId);
  const account = blog && copyAccount(platen, blog, service);
  if (!account || postId === null) return;
  const { receiverId } = account;
  const post = postRow(platen, postId);
  const copy = findCopy(platen, { postId, receiverId });
  if (copy) {
    const age = copy.sentAt ? platen.now().getTime() - copy.sentAt.getTime() : 0;
    if (post && isLive(post, platen.now()) && age > SERVICES[service].editableMs) return;
  } else {
    const getsNewCopy = name === "post.published" || post?.reach?.[service] === true;
    if (!post || !getsNewCopy || !isCopied(platen, blog, post, service)) return;
    const key = newRecordKey(platen.now());
    insertRow(platen, copies, { blogId: blog.id, postId, receiverId, key, createdAt: occurredAt });
  }
  addDeliveries(platen, id, receiverId);
}
