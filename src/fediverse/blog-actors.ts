import { accountById } from "../accounts/accounts";
import { type Blog, blogById } from "../blogs/blogs";
import { blogUrl } from "../blogs/permalinks";
import { specialAddressKind } from "../config/ip-ranges";
import { findRowBy } from "../database/prepared";
import { updateRows } from "../database/rows";
import { blogActors } from "../database/schema";
import type { Platen } from "../platen";

type ActorRow = typeof blogActors.$inferSelect;

export interface BlogActor extends ActorRow {
  blog: Blog;
}

/** Name of the delivery channel, and key in `blogs.reach`. */
export const FEDIVERSE = "fediverse";

export interface FediverseSettings {
  /** Whether a post with a title is sent as a Note (with the title as heading) instead of an Article. */
  wholeNotes?: boolean;
}

export function fediverseSettings({ reach }: Pick<Blog, "reach">): FediverseSettings | null {
  return (reach?.[FEDIVERSE] as FediverseSettings | undefined) ?? null;
}

const ofBlog = findRowBy(blogActors, ["blogId"]);
const withBase = findRowBy(blogActors, ["base"]);

export function actorOfBlog(platen: Platen, blog: Blog): BlogActor | undefined {
  const row = fediverseSettings(blog) ? ofBlog(platen, { blogId: blog.id }) : undefined;
  return row && { ...row, blog };
}

/** @param base the blog's URL when the actor was created */
export function actorAtBase(platen: Platen, base: string): BlogActor | undefined {
  const row = withBase(platen, { base });
  const blog = row && blogById(platen, row.blogId);
  return blog && actorOfBlog(platen, blog);
}

export function storedActor(platen: Platen, { id }: Pick<Blog, "id">): ActorRow | undefined {
  return ofBlog(platen, { blogId: id });
}

export function updateActor(platen: Platen, { blogId }: ActorRow, changes: Partial<ActorRow>): void {
  updateRows(platen, blogActors, { blogId }, changes);
}

/** Relative to `base`. Other servers store URLs with this path, so the path must not change. */
export const ACTOR_PATH = ".well-known/reach/";

export function actorId({ base, blogId }: ActorRow): string {
  return `${base}${ACTOR_PATH}actor/${blogId}`;
}

export function followersOf(actor: ActorRow): string {
  return `${actorId(actor)}/followers`;
}

export function sharedInboxOf({ base }: ActorRow): string {
  return `${base}${ACTOR_PATH}inbox`;
}

export function keyIdOf(actor: ActorRow): string {
  return `${actorId(actor)}#${actor.keyNumber === 1 ? "main-key" : `key-${actor.keyNumber}`}`;
}

/** A post that is published again gets another id, because servers ignore an id that was deleted. */
export function objectId({ base }: ActorRow, postId: number, generation: number): string {
  return `${base}${ACTOR_PATH}object/${postId}${generation > 1 ? `?${generation}` : ""}`;
}

export function replyId({ base }: ActorRow, kommentId: number, generation: number): string {
  return `${base}${ACTOR_PATH}reply/${kommentId}${generation > 1 ? `?${generation}` : ""}`;
}

export function handleHost({ base }: Pick<ActorRow, "base">): string {
  return new URL(base).host;
}

export function handleOf(actor: BlogActor): string {
  return `@${actor.blog.slug}@${handleHost(actor)}`;
}

/** Returns null if the fediverse can be turned on for this blog. */
export function reasonNotPublic(platen: Platen, blog: Blog): string | null {
  const url = new URL(blogUrl(platen, blog));
  if (platen.config.privateHosts.includes(url.hostname)) return null;
  if (url.protocol !== "https:")
    return `The blog's address is ${url.href}. Other servers need https://; set PLATEN_URL to the public address.`;
  if (isPrivateName(url.hostname))
    return `${url.hostname} can only be reached from this network. Set PLATEN_URL to the public address.`;
  return null;
}

function isPrivateName(host: string): boolean {
  const name = host.replace(/^\[(.+)\]$/, "$1");
  if (/^[\d.]+$|:/.test(name)) return specialAddressKind(name) !== null;
  return !name.includes(".") || /\.(?:local|localhost|lan|home|internal|test|invalid)$/.test(name);
}

/** Only blogs of admins may reach hosts in PLATEN_PRIVATE_HOSTS. */
export function mayReachPrivateHosts(platen: Platen, { blog }: BlogActor): boolean {
  return accountById(platen, blog.accountId)?.isAdmin === true;
}
