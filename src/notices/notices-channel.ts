import { and, gt, inArray, isNotNull, isNull, lte } from "drizzle-orm";
import { type Account, accountById, listAccounts } from "../accounts/accounts";
import { blogById } from "../blogs/blogs";
import { DAY, HOUR, MEGABYTE, MINUTE } from "../config/units";
import { getSetting, saveSetting } from "../database/instance-settings";
import { findRows, prepareSql, updateRows } from "../database/rows";
import { accounts, receivers } from "../database/schema";
import { inInvisibleTransaction, inTransaction } from "../database/transactions";
import type { Channel, ClaimedDelivery, Outcome, SendTools } from "../deliveries/channel";
import { renderMail } from "../mail/mail-layout";
import { getRelay } from "../mail/relay-settings";
import { MAIL_RETRY_DELAYS_MS, sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { freeDiskBytes, isDiskNearlyFull } from "../runtime/disk-space";
import { backupStatus } from "../upkeep/backup/backup-schedule";
import { noticeContent } from "./notice-content";
import type { NoticeDetails, NoticeName } from "./notice-recording-and-choices";
import { queueNotice, recordNotice } from "./notice-recording-and-choices";

export const noticesChannel: Channel = {
  name: "notices",
  maxOpen: 1,
  retryDelaysMs: MAIL_RETRY_DELAYS_MS,
  queue: queueNotice,
  recordDue: collectNotices,
  send: sendNotice,
};

const MAX_AGE_MS = 3 * DAY;
const MAX_RESET_AGE_MS = 30 * MINUTE;

async function sendNotice(
  platen: Platen,
  { target, event }: ClaimedDelivery,
  { at }: SendTools,
): Promise<Outcome> {
  const { id, name, occurredAt, payload } = event;
  const account = accountById(platen, Number(target));
  const details: NoticeDetails = JSON.parse(payload);
  const isReset = name === "forgot the password";
  const age = at.getTime() - occurredAt.getTime();
  const isCurrent = age <= (isReset ? MAX_RESET_AGE_MS : MAX_AGE_MS);
  const isWanted = account && !account.disabledAt && isCurrent;
  const content = isWanted && noticeContent(platen, account, name as NoticeName, details);
  if (!content) return { failure: "There is nothing left to send.", end: "dropped" };
  return await sendMail(platen, {
    to: isReset ? account.email : (details.to ?? account.email),
    fromName: "Platen",
    messageId: `notice-${id}-${occurredAt.getTime()}@${new URL(platen.config.url).hostname}`,
    ...renderMail(content),
  });
}

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
  return nextDue(platen).get()?.at ?? Number.POSITIVE_INFINITY;
}

const nextDue = prepareSql<{ at: number | null }, []>(
  "SELECT min(notice_due) AS at FROM accounts WHERE notice_due IS NOT NULL",
);

function scheduleNotice(platen: Platen, accountId: number, seen: Newest): void {
  const account = accountById(platen, accountId);
  const gap = GAPS_MS[account?.notices.readers ?? "now"];
  if (!account || account.noticeDue || account.disabledAt || gap === Number.POSITIVE_INFINITY) return;
  const noticeDue = new Date(Math.max(platen.now().getTime(), account.noticed.at + gap));
  // Without this, the first mail of an account would list all its earlier komments and messages.
  const noticed = account.noticed.at === 0 ? { at: 0, ...seen } : account.noticed;
  updateRows(platen, accounts, { id: accountId }, { noticeDue, noticed });
}

function recordDueNotices(platen: Platen, newest: Newest): void {
  const at = platen.now();
  const isDue = and(lte(accounts.noticeDue, at), isNull(accounts.disabledAt));
  for (const account of findRows(platen, accounts, isDue))
    inTransaction(platen, () => {
      const { komment, message } = account.noticed;
      recordNotice(platen, account, "readers wrote", { komment, message });
      const noticed = { at: at.getTime(), ...newest };
      updateRows(platen, accounts, { id: account.id }, { noticeDue: null, noticed });
    });
}

const STATE = "notices: problems";

/** Reports a problem only when the problem begins. */
function collectProblemNotices(platen: Platen): void {
  const at = platen.now().getTime();
  const stored = getSetting(platen, STATE);
  const none = { at, hasBackupFailed: false, isDiskLow: false };
  const before: typeof none = stored === undefined ? none : JSON.parse(stored);
  if (stored !== undefined && Math.abs(at - before.at) < PROBLEMS_EVERY_MS) return;
  const backup = backupStatus(platen).find((line) => line.startsWith("backup failed: "));
  const { data } = platen.config;
  const isDiskLow = isDiskNearlyFull(data);
  inInvisibleTransaction(platen, () => {
    reportReceivers(platen, new Date(before.at));
    if (backup && !before.hasBackupFailed)
      tellAdmins(platen, "backup failed", backup.slice("backup failed: ".length));
    const free = `${Math.floor(freeDiskBytes(data) / MEGABYTE)} MB are free on the disk of ${data}.`;
    if (isDiskLow && !before.isDiskLow) tellAdmins(platen, "disk nearly full", free);
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
  const disabled = findRows(platen, receivers, isNew);
  for (const { channel, blogId, url, disabledBecause } of disabled) {
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
