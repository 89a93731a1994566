import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { among } from "../database/prepared";
import { deleteRows, findRow, insertRow } from "../database/rows";
import { blockedHosts, followers, remoteActors } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid, notFound } from "../errors";
import type { Platen } from "../platen";

export type BlockedHost = typeof blockedHosts.$inferSelect;

type Scope = Pick<Blog, "id"> | undefined;

const MAX_HOST_LENGTH = 253;

/**
 * Also blocks subdomains, and deletes followers on these hosts.
 * @param blog undefined: blocks the host for all blogs
 * @param typed "social.example", a URL on it, or a handle
 */
export function blockHost(platen: Platen, blog: Scope, typed: string): string {
  const host = parseHost(typed);
  inTransaction(platen, () => {
    if (findBlock(platen, blog, host)) return;
    insertRow(platen, blockedHosts, { blogId: blog?.id ?? null, host, createdAt: platen.now() });
    const containsHost = sql`instr(${remoteActors.url}, ${host}) > 0`;
    const ids = platen.db
      .select()
      .from(remoteActors)
      .where(containsHost)
      .all()
      .filter(({ url }) => isHostOrSubdomain(new URL(url).host, host))
      .map(({ id }) => id);
    const isOfHost = and(among(followers.remoteActorId, ids), blog && eq(followers.blogId, blog.id));
    deleteRows(platen, followers, isOfHost);
  });
  return host;
}

function isHostOrSubdomain(host: string, blocked: string): boolean {
  const bare = host.replace(/:\d+$/, "");
  return host === blocked || bare === blocked || bare.endsWith(`.${blocked}`);
}

export function unblockHost(platen: Platen, blog: Scope, typed: string): void {
  const found = findBlock(platen, blog, parseHost(typed));
  if (!found) throw notFound("blocked host");
  deleteRows(platen, blockedHosts, { id: found.id });
}

/** Includes hosts blocked for all blogs. Without `blog`, returns every row. */
export function listBlockedHosts(platen: Platen, blog?: Pick<Blog, "id">): BlockedHost[] {
  const isInScope = blog && or(isNull(blockedHosts.blogId), eq(blockedHosts.blogId, blog.id));
  return platen.db.select().from(blockedHosts).where(isInScope).orderBy(asc(blockedHosts.host)).all();
}

function findBlock(platen: Platen, blog: Scope, host: string): BlockedHost | undefined {
  return findRow(platen, blockedHosts, { blogId: blog?.id ?? null, host });
}

function parseHost(typed: string): string {
  const text = typed.trim().toLowerCase();
  const url = URL.parse(text.includes("://") ? text : `https://${text.slice(text.lastIndexOf("@") + 1)}`);
  if (!url?.host || url.host.length > MAX_HOST_LENGTH)
    throw invalid({ host: ["must be a host name like social.example"] });
  return url.host;
}
