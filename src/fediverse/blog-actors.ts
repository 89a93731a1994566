import { blogWithSlugEver } from "../blogs/blog-addresses";
import { type Blog, blogById, blogUrl, listBlogs } from "../blogs/blogs";
import { specialAddressKind } from "../config/ip-ranges";
import { findRowByColumn } from "../database/rows";
import { blogActors } from "../database/schema";
import type { Platen } from "../platen";

export type ActorRow = typeof blogActors.$inferSelect;

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

export const storedActor = findRowByColumn(blogActors, "blogId");
const withBase = findRowByColumn(blogActors, "base");

export function actorOfBlog(platen: Platen, blog: Blog): BlogActor | undefined {
  const row = fediverseSettings(blog) ? storedActor(platen, blog.id) : undefined;
  return row && { ...row, blog };
}

export function actorOfBlogId(platen: Platen, id: number | null): BlogActor | undefined {
  const blog = blogById(platen, id);
  return blog && actorOfBlog(platen, blog);
}

export function isAnyActorOn({ db }: Platen): boolean {
  const anyOn = "SELECT 1 FROM blogs WHERE reach -> '$.fediverse' IS NOT NULL LIMIT 1";
  return db.$client.query(anyOn).get() !== null;
}

/**
 * @param host without port; an unknown host is treated like the host of PLATEN_URL
 * @param prefix path of the blog: "" or "/@slug"
 */
export function actorAtPath(platen: Platen, host: string, prefix: string): BlogActor | undefined {
  const url = new URL(platen.config.url);
  url.hostname = host;
  const atBase = (base: string) =>
    actorOfBlogId(platen, withBase(platen, `${base}${prefix}/`)?.blogId ?? null);
  return atBase(url.origin) ?? atBase(platen.config.url);
}

/** @param resource "acct:slug@host" (the slug may be a previous one), the actor's id, or the blog's URL */
export function actorOfResource(platen: Platen, resource: string): BlogActor | undefined {
  const [, name, host] = /^(?:acct:)?@?([^@/:]{1,100})@([^@/]{1,260})$/i.exec(resource) ?? [];
  if (name !== undefined) {
    const blog = blogWithSlugEver(platen, name.toLowerCase());
    const actor = blog && actorOfBlog(platen, blog);
    // The handle keeps its host when the blog moves, so the old and the new host are accepted.
    const hosts = actor ? [handleHost(actor), new URL(blogUrl(platen, actor.blog)).host] : [];
    return host && hosts.includes(host.toLowerCase()) ? actor : undefined;
  }
  return listActors(platen).find((actor) =>
    [actorId(actor), blogUrl(platen, actor.blog), actor.base].some(
      (url) => resource === url || `${resource}/` === url,
    ),
  );
}

export function listActors(platen: Platen): BlogActor[] {
  return listBlogs(platen).flatMap((blog) => actorOfBlog(platen, blog) ?? []);
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

/**
 * A post that is published again gets another id, because servers ignore an id that was deleted.
 * @param id of the post or komment
 */
export function objectId({ base }: ActorRow, kind: "object" | "reply", id: number, generation: number) {
  return `${base}${ACTOR_PATH}${kind}/${id}${generation > 1 ? `?${generation}` : ""}`;
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
