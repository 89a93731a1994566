import { eq, type SQL } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { prepareSql } from "../database/prepared";
import { updateRows } from "../database/rows";
import { blogs, komments } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid, notFound } from "../errors";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import type { Komment, KommentStatus } from "./komment";
import { recordAnswerEvent } from "./komment-events";
import { isMailAddress, type ReaderInput } from "./reader-input-check";

export function initialStatus(
  blog: Pick<Blog, "blocked" | "kommentsModerated">,
  { name, address, source }: Pick<Komment, "name" | "address" | "source">,
  unmoderatedStatus: KommentStatus,
): KommentStatus {
  if (isBlocked(blog, { name, address, text: source })) return "refused";
  return blog.kommentsModerated ? "waiting" : unmoderatedStatus;
}

export const showKomment = (platen: Platen, id: number): void => setStatus(platen, id, "shown");
export const refuseKomment = (platen: Platen, id: number): void => setStatus(platen, id, "refused");
export const holdKomment = (platen: Platen, id: number): void => setStatus(platen, id, "waiting");

function setStatus(platen: Platen, id: number, status: KommentStatus): void {
  inTransaction(platen, () => {
    const [changed] = platen.db.update(komments).set({ status }).where(eq(komments.id, id)).returning().all();
    if (!changed) throw notFound("komment");
    if (changed.answer !== null) recordAnswerEvent(platen, changed);
  });
}

export function deleteKomment(platen: Platen, id: number): void {
  if (deleteKomments(platen, eq(komments.id, id)) === 0) throw notFound("komment");
}

/** Other servers then delete the replies of the owner. @returns number of deleted komments */
export function deleteKomments(platen: Platen, condition: SQL | undefined): number {
  // Without the texts, because somebody may have sent hundreds of megabytes.
  const { id, blogId, postId, origin, remoteActorId, answer } = komments;
  const columns = { id, blogId, postId, origin, remoteActorId, answer };
  return inTransaction(platen, () => {
    const deleted = platen.db.delete(komments).where(condition).returning(columns).all();
    for (const komment of deleted) if (komment.answer !== null) recordAnswerEvent(platen, komment);
    return deleted.length;
  });
}

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

const blocking = prepareSql<unknown, [{ blogId: number; hosts: string }]>(`
  SELECT 1 FROM blocked_hosts WHERE (blog_id IS NULL OR blog_id = $blogId)
  AND host IN (SELECT value FROM json_each($hosts)) LIMIT 1`);

/** A name in DNS has at most 253 characters. Others would take quadratic time. */
const MAX_HOST_LENGTH = 253;

/**
 * Also checks the domains above the host.
 * @param host with or without port
 */
export function isHostBlocked(platen: Platen, { id: blogId }: Pick<Blog, "id">, host: string): boolean {
  const labels = host.replace(/:\d+$/, "").slice(-MAX_HOST_LENGTH).split(".");
  const hosts = [host, ...labels.map((_, index) => labels.slice(index).join("."))];
  return blocking(platen).get({ blogId, hosts: JSON.stringify(hosts) }) !== null;
}
