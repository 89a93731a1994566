import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { among, deleteRows, findRow, findRows, insertRow, prepareSql, updateRows } from "../database/rows";
import { blockedHosts, blogs, followers, remoteActors } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid, requireFound } from "../errors";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import { isMailAddress, type ReaderInput } from "./reader-input";

export const MAX_BLOCK_LIST_LENGTH = 10_000;

export function isBlocked({ blocked }: Pick<Blog, "blocked">, { name, address, text }: ReaderInput): boolean {
  if (blocked === "") return false;
  const mail = address.toLowerCase();
  const words = spaced(`${name}\n${address}\n${text}`);
  return blocked
    .split("\n")
    .some((line) => (isMailAddress(line) ? line.toLowerCase() === mail : words.includes(spaced(line))));
}

/** Normalization takes quadratic time for longer runs (Unicode Standard Annex 15, Stream-Safe Text Format). */
const MARKS = /(\p{M}{30})\p{M}+/gu;

/** Surrounds words with spaces, so that "ass" does not match "class". */
function spaced(text: string): string {
  const lower = text.replace(MARKS, "$1").normalize("NFKC").toLowerCase();
  return ` ${lower
    .replace(/(?<=[\p{L}\p{N}])(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/gu, " ")
    .replace(/\s+/g, " ")
    .trim()} `;
}

export function setBlocked(platen: Platen, { id }: Pick<Blog, "id">, list: string): void {
  const lines = cleanText(list)
    .split(/\r\n?|\n/)
    .map((line) => line.trim().replace(/\s+/g, " "))
    .filter((line) => line !== "");
  const blocked = [...new Set(lines)].join("\n");
  if (blocked.length > MAX_BLOCK_LIST_LENGTH)
    throw invalid({ blocked: [`must be at most ${MAX_BLOCK_LIST_LENGTH} characters`] });
  updateRows(platen, blogs, { id }, { blocked });
}

export type BlockedHost = typeof blockedHosts.$inferSelect;

type Scope = Pick<Blog, "id"> | undefined;

/** A name in DNS has at most 253 characters. Others would take quadratic time. */
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
    const blocked = findRows(platen, remoteActors, containsHost).filter(({ url }) =>
      hostAndParents(new URL(url).host).includes(host),
    );
    const ids = blocked.map(({ id }) => id);
    const isOfHost = and(among(followers.remoteActorId, ids), blog && eq(followers.blogId, blog.id));
    deleteRows(platen, followers, isOfHost);
  });
  return host;
}

export function unblockHost(platen: Platen, blog: Scope, typed: string): void {
  const found = requireFound(findBlock(platen, blog, parseHost(typed)), "blocked host");
  deleteRows(platen, blockedHosts, { id: found.id });
}

/** Includes hosts blocked for all blogs. Without `blog`, returns every row. */
export function listBlockedHosts(platen: Platen, blog?: Pick<Blog, "id">): BlockedHost[] {
  const isInScope = blog && or(isNull(blockedHosts.blogId), eq(blockedHosts.blogId, blog.id));
  return findRows(platen, blockedHosts, isInScope, { orderBy: blockedHosts.host });
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

const blocking = prepareSql<unknown, [{ blogId: number; hosts: string }]>(`
  SELECT 1 FROM blocked_hosts WHERE (blog_id IS NULL OR blog_id = $blogId)
  AND host IN (SELECT value FROM json_each($hosts)) LIMIT 1`);

/** @param host with or without port */
export function isHostBlocked(platen: Platen, { id: blogId }: Pick<Blog, "id">, host: string): boolean {
  return blocking(platen).get({ blogId, hosts: JSON.stringify(hostAndParents(host)) }) !== null;
}

/** Contains the host as it is, without its port, and each domain above. */
function hostAndParents(host: string): string[] {
  const labels = host.replace(/:\d+$/, "").slice(-MAX_HOST_LENGTH).split(".");
  return [host, ...labels.map((_, index) => labels.slice(index).join("."))];
}
