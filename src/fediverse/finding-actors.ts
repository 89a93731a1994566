import { listBlogs } from "../blogs/blogs";
import { blogWithSlugEver } from "../blogs/finding-blogs";
import { blogUrl } from "../blogs/permalinks";
import type { Platen } from "../platen";
import { actorAtBase, actorId, actorOfBlog, type BlogActor, handleHost } from "./blog-actors";

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
  return (
    actorAtBase(platen, `${url.origin}${prefix}/`) ?? actorAtBase(platen, `${platen.config.url}${prefix}/`)
  );
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
