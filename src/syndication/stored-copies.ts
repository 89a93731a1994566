import { desc, eq } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { DAY, HOUR, MINUTE } from "../config/units";
import { findRow, findRowBy, findRowByColumn, prepareSql } from "../database/rows";
import { copies, copyAccounts, posts, receivers } from "../database/schema";
import type { Platen } from "../platen";

export type Copy = typeof copies.$inferSelect;
export type CopyAccount = typeof copyAccounts.$inferSelect;
export type ServiceName = CopyAccount["service"];

export const SERVICE_LABELS: Record<ServiceName, string> = { bluesky: "Bluesky", mastodon: "Mastodon" };
export const SERVICE_NAMES = Object.keys(SERVICE_LABELS) as ServiceName[];

/** Delays after sending a copy, until Platen asks for replies to it. */
export const REPLY_CHECK_DELAYS_MS = [10 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY] as const;

const accountOfService = findRowBy(copyAccounts, ["blogId", "service"]);
export const accountAt = findRowByColumn(copyAccounts, "receiverId");
export const findCopy = findRowBy(copies, ["postId", "receiverId"]);

export function copyAccount(platen: Platen, { id: blogId }: Pick<Blog, "id">, service: ServiceName) {
  return accountOfService(platen, { blogId, service });
}

/** A sentence for the owner; null if copies are sent. */
export function whyStopped(platen: Platen, { receiverId }: CopyAccount): string | null {
  return findRow(platen, receivers, { id: receiverId })?.disabledBecause ?? null;
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

type SentCopy = Pick<Copy, "url" | "remoteId" | "key"> & { service: ServiceName };

const ofPost = prepareSql<SentCopy, [number]>(`
  SELECT channel AS service, copies.url, remote_id AS remoteId, key
  FROM copies JOIN receivers ON receivers.id = receiver_id
  WHERE post_id = ? AND copies.url <> '' ORDER BY copies.id`);

export function sentCopies(platen: Platen, postId: number): SentCopy[] {
  return ofPost(platen).all(postId);
}

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
