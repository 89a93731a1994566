import { and, asc, desc, eq, ne, sql } from "drizzle-orm";
import { type Blog, blogById } from "../blogs/blogs";
import { MINUTE } from "../config/units";
import { findRowBy, prepared } from "../database/prepared";
import { copies, copyAccounts, posts, receivers } from "../database/schema";
import type { Event } from "../deliveries/channel";
import { addDeliveries } from "../deliveries/events";
import type { Platen } from "../platen";
import { goesTo, isLive, isNew, type PostRow } from "../posts/post/post";
import { postRow } from "../posts/storage/post-rows";

export type Copy = typeof copies.$inferSelect;
export type CopyAccount = typeof copyAccounts.$inferSelect;
export type ServiceName = CopyAccount["service"];

export const SERVICE_LABELS: Record<ServiceName, string> = { bluesky: "Bluesky", mastodon: "Mastodon" };
export const SERVICE_NAMES = Object.keys(SERVICE_LABELS) as ServiceName[];

/**
 * Time after copying in which edits change the copy. Bluesky apps may cache the old text for a long time;
 * Mastodon shows edits.
 */
export const EDITABLE_MS: Record<ServiceName, number> = {
  bluesky: 5 * MINUTE,
  mastodon: Number.POSITIVE_INFINITY,
};

const accountOfService = findRowBy(copyAccounts, ["blogId", "service"]);
const accountOfReceiver = findRowBy(copyAccounts, ["receiverId"]);
const copyWithId = findRowBy(copies, ["id"]);
const copyAtReceiver = findRowBy(copies, ["postId", "receiverId"]);
const receiverWithId = findRowBy(receivers, ["id"]);

export function copyAccount(platen: Platen, { id: blogId }: Pick<Blog, "id">, service: ServiceName) {
  return accountOfService(platen, { blogId, service });
}
export const accountAt = (platen: Platen, receiverId: number) => accountOfReceiver(platen, { receiverId });
export const copyById = (platen: Platen, id: number) => copyWithId(platen, { id });
export const copyOf = (platen: Platen, postId: number, receiverId: number) =>
  copyAtReceiver(platen, { postId, receiverId });

/** A sentence for the owner; null if copies are sent. */
export function whyStopped(platen: Platen, { receiverId }: CopyAccount): string | null {
  return receiverWithId(platen, { id: receiverId })?.disabledBecause ?? null;
}

interface CopySettings {
  /** Whether new posts are copied unless the author deselects them. */
  isDefault: boolean;
  publication?: string;
}

export function copySettings({ reach }: Pick<Blog, "reach">, service: ServiceName): CopySettings | undefined {
  return reach?.[service] as CopySettings | undefined;
}

export function copiesByDefault(blog: Pick<Blog, "reach">, service: ServiceName): boolean | null {
  return copySettings(blog, service)?.isDefault ?? null;
}

/** Whether a post that has no copy yet gets one. */
export function isCopied(platen: Platen, blog: Blog, post: PostRow, service: ServiceName): boolean {
  const at = platen.now();
  if (!isLive(post, at) || post.type !== "post") return false;
  const isChosen = goesTo(post, service, copiesByDefault(blog, service) === true);
  return isChosen && (post.reach?.[service] === true || isNew(post, at));
}

/** The sender decides whether to create, edit or delete the copy. */
export function queueCopy(platen: Platen, { id, channel, blogId, postId, name, occurredAt }: Event): void {
  const service = channel as ServiceName;
  const blog = blogById(platen, blogId);
  const account = blog && copyAccount(platen, blog, service);
  if (!account || postId === null) return;
  const { receiverId } = account;
  const post = postRow(platen, postId);
  const copy = copyOf(platen, postId, receiverId);
  if (copy) {
    const age = copy.sentAt ? platen.now().getTime() - copy.sentAt.getTime() : 0;
    if (post && isLive(post, platen.now()) && age > EDITABLE_MS[service]) return;
  } else {
    const getsNewCopy = name === "post.published" || post?.reach?.[service] === true;
    if (!post || !getsNewCopy || !isCopied(platen, blog, post, service)) return;
    const key = newRecordKey(platen.now());
    platen.db
      .insert(copies)
      .values({ blogId: blog.id, postId, receiverId, key, createdAt: occurredAt })
      .run();
  }
  addDeliveries(platen, id, receiverId);
}

const KEY_LETTERS = "234567abcdefghijklmnopqrstuvwxyz";
const KEY_LENGTH = 13;

/** A TID (atproto.com/specs/tid): the time in microseconds, then 10 random bits. */
export function newRecordKey(at: Date): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const microseconds = BigInt(at.getTime()) * 1000n + BigInt(random % 1000);
  let number = (microseconds << 10n) | BigInt((random >>> 10) % 1024);
  let key = "";
  for (let place = 0; place < KEY_LENGTH; place++, number >>= 5n)
    key = KEY_LETTERS[Number(number & 31n)] + key;
  return key;
}

const ofPost = prepared((db) =>
  db
    .select({ service: receivers.channel, url: copies.url, remoteId: copies.remoteId, key: copies.key })
    .from(copies)
    .innerJoin(receivers, eq(receivers.id, copies.receiverId))
    .where(and(eq(copies.postId, sql.placeholder("postId")), ne(copies.url, "")))
    .orderBy(asc(copies.id))
    .prepare(),
);

export function sentCopies(platen: Platen, postId: number): SentCopy[] {
  return ofPost(platen).all({ postId }) as SentCopy[];
}

type SentCopy = Pick<Copy, "url" | "remoteId" | "key"> & { service: ServiceName };

/** Newest first. */
export function listCopies({ db }: Platen, { id }: Pick<Blog, "id">, limit: number) {
  return db
    .select({ copy: copies, service: receivers.channel, post: posts })
    .from(copies)
    .innerJoin(receivers, eq(receivers.id, copies.receiverId))
    .innerJoin(posts, eq(posts.id, copies.postId))
    .where(eq(copies.blogId, id))
    .orderBy(desc(copies.id))
    .limit(limit)
    .all();
}
