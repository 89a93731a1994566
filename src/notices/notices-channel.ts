import { and, eq, gt, inArray, isNotNull, isNull, lte, min } from "drizzle-orm";
import { type Account, accountById, listAccounts } from "../accounts/accounts";
import { blogById } from "../blogs/blogs";
import { DAY, HOUR, MEGABYTE, MINUTE } from "../config/units";
import { getSetting, saveSetting } from "../database/instance-settings";
import { accounts, receivers } from "../database/schema";
import { inInvisibleTransaction, inTransaction } from "../database/transactions";
import type { Channel } from "../deliveries/channel";
import { getRelay } from "../mail/relay-settings";
import { MAIL_RETRY_DELAYS_MS } from "../mail/smtp";
import type { Platen } from "../platen";
import { freeDiskBytes, isDiskNearlyFull } from "../runtime/disk-space";
import { backupStatus } from "../upkeep/backup/scheduled-backups";
import { sendNotice } from "./notice-sender";
import { type NoticeName, queueNotice, recordNotice } from "./recording-notices";

export const noticesChannel: Channel = {
  name: "notices",
  maxOpen: 1,
  retryDelaysMs: MAIL_RETRY_DELAYS_MS,
  queue: queueNotice,
  recordDue: collectNotices,
  send: sendNotice,
};

const PROBLEMS_EVERY_MS = MINUTE;

function collectNotices(platen: Platen): number {
  if (!getRelay(platen)) return Number.POSITIVE_INFINITY;
  collectProblemNotices(platen);
  return Math.min(collectReaderNotices(platen), platen.now().getTime() + PROBLEMS_EVERY_MS);
}

/**
 * Minimum time between two mails about komments and messages. The minute of "now" reduces mails about spam.
 */
const GAPS_MS = { now: MINUTE, hourly: HOUR, daily: DAY, off: Number.POSITIVE_INFINITY };

const SEEN = "notices: newest seen";

const OWNERS_WITH_NEWS = `
  SELECT DISTINCT blogs.account_id AS id FROM komments JOIN blogs ON blogs.id = komments.blog_id
  WHERE komments.id > $komment AND komments.status <> 'refused'
  UNION SELECT blogs.account_id FROM messages JOIN blogs ON blogs.id = messages.blog_id
  WHERE messages.id > $message AND messages.status = 'waiting'`;

const NEWEST = `SELECT
  coalesce((SELECT max(id) FROM komments), 0) AS komment, coalesce((SELECT max(id) FROM messages), 0) AS message`;

type Newest = { komment: number; message: number };

function collectReaderNotices(platen: Platen): number {
  const { $client } = platen.db;
  const newest = $client.query<Newest, []>(NEWEST).get() as Newest;
  const stored = getSetting(platen, SEEN);
  const seen: Newest = stored === undefined ? newest : JSON.parse(stored);
  if (stored !== JSON.stringify(newest))
    inInvisibleTransaction(platen, () => {
      for (const { id } of $client.query<{ id: number }, [Newest]>(OWNERS_WITH_NEWS).all(seen))
        scheduleNotice(platen, id, seen);
      saveSetting(platen, SEEN, JSON.stringify(newest));
    });
  recordDueNotices(platen, newest);
  const next = platen.db
    .select({ at: min(accounts.noticeDue) })
    .from(accounts)
    .where(isNotNull(accounts.noticeDue))
    .get();
  return next?.at?.getTime() ?? Number.POSITIVE_INFINITY;
}

function scheduleNotice(platen: Platen, accountId: number, seen: Newest): void {
  const account = platen.db.select().from(accounts).where(eq(accounts.id, accountId)).get();
  const gap = GAPS_MS[account?.notices.readers ?? "now"];
  if (!account || account.noticeDue || account.disabledAt || gap === Number.POSITIVE_INFINITY) return;
  const noticeDue = new Date(Math.max(platen.now().getTime(), account.noticed.at + gap));
  // Without this, the first mail of an account would list all its earlier komments and messages.
  const noticed = account.noticed.at === 0 ? { at: 0, ...seen } : account.noticed;
  platen.db.update(accounts).set({ noticeDue, noticed }).where(eq(accounts.id, accountId)).run();
}

function recordDueNotices(platen: Platen, newest: Newest): void {
  const at = platen.now();
  const isDue = and(lte(accounts.noticeDue, at), isNull(accounts.disabledAt));
  for (const account of platen.db.select().from(accounts).where(isDue).all())
    inTransaction(platen, () => {
      const { komment, message } = account.noticed;
      recordNotice(platen, account, "readers wrote", { komment, message });
      const noticed = { at: at.getTime(), ...newest };
      platen.db.update(accounts).set({ noticeDue: null, noticed }).where(eq(accounts.id, account.id)).run();
    });
}

const STATE = "notices: problems";

interface Problems {
  at: number;
  hasBackupFailed: boolean;
  isDiskLow: boolean;
}

/** Reports a problem only when the problem begins. */
function collectProblemNotices(platen: Platen): void {
  const at = platen.now().getTime();
  const stored = getSetting(platen, STATE);
  const before: Problems =
    stored === undefined ? { at, hasBackupFailed: false, isDiskLow: false } : JSON.parse(stored);
  if (stored !== undefined && Math.abs(at - before.at) < PROBLEMS_EVERY_MS) return;
  const backup = backupStatus(platen).find((line) => line.startsWith("backup failed: "));
  const free = freeDiskBytes(platen.config.data);
  const isDiskLow = isDiskNearlyFull(platen.config.data);
  inInvisibleTransaction(platen, () => {
    reportReceivers(platen, new Date(before.at));
    if (backup && !before.hasBackupFailed)
      tellAdmins(platen, "backup failed", backup.slice("backup failed: ".length));
    if (isDiskLow && !before.isDiskLow)
      tellAdmins(
        platen,
        "disk nearly full",
        `${Math.floor(free / MEGABYTE)} MB are free on the disk of ${platen.config.data}.`,
      );
    saveSetting(platen, STATE, JSON.stringify({ at, hasBackupFailed: backup !== undefined, isDiskLow }));
  });
}

function reportReceivers(platen: Platen, since: Date): void {
  const isNew = and(
    inArray(receivers.channel, ["webhook", "bluesky", "mastodon"]),
    isNull(receivers.removedAt),
    gt(receivers.disabledAt, since),
    isNotNull(receivers.disabledBecause),
  );
  for (const { channel, blogId, url, disabledBecause } of platen.db
    .select()
    .from(receivers)
    .where(isNew)
    .all()) {
    const blog = blogById(platen, blogId as number);
    const owner = blog && accountById(platen, blog.accountId);
    if (!owner) continue;
    const isWebhook = channel === "webhook";
    recordNotice(platen, owner, isWebhook ? "webhook turned off" : "copies stopped", {
      about: `${blog.title}: ${url}: ${disabledBecause}`,
      path: `/admin/blogs/${blog.slug}/${isWebhook ? "webhooks" : "reach"}`,
    });
  }
}

function tellAdmins(platen: Platen, name: NoticeName, about: string): void {
  const isAdmin = (account: Account) => account.isAdmin && !account.disabledAt;
  for (const account of listAccounts(platen).filter(isAdmin)) recordNotice(platen, account, name, { about });
}
