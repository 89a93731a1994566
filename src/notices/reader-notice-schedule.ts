import { and, eq, isNotNull, isNull, lte, min } from "drizzle-orm";
import { DAY, HOUR, MINUTE } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { getSetting, saveSetting } from "../database/instance-settings";
import { accounts } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { recordNotice } from "./notices";

/** Minimum time between two mails about readers. One minute, so that a burst of spam is one mail a minute. */
const GAPS_MS = { now: MINUTE, hourly: HOUR, daily: DAY, off: Number.POSITIVE_INFINITY };

const SEEN = "notices: newest seen";

/** Owner accounts of komments and messages that are newer than the given ids. */
const NEW_FOR = `
  SELECT DISTINCT blogs.account_id AS id FROM komments JOIN blogs ON blogs.id = komments.blog_id
  WHERE komments.id > $komment AND komments.status <> 'refused'
  UNION SELECT blogs.account_id FROM messages JOIN blogs ON blogs.id = messages.blog_id
  WHERE messages.id > $message AND messages.status = 'waiting'`;

const NEWEST = `SELECT
  coalesce((SELECT max(id) FROM komments), 0) AS komment, coalesce((SELECT max(id) FROM messages), 0) AS message`;

type Newest = { komment: number; message: number };

/** Records notices about new komments and messages that are due. @returns time of the next one */
export function collectReaderNotices(platen: Platen): number {
  const { $client } = platen.db;
  const newest = $client.query<Newest, []>(NEWEST).get() as Newest;
  const stored = getSetting(platen, SEEN);
  const seen: Newest = stored === undefined ? newest : JSON.parse(stored);
  if (stored !== JSON.stringify(newest))
    keepDataVersion(platen, () =>
      inTransaction(platen, () => {
        for (const { id } of $client.query<{ id: number }, [Newest]>(NEW_FOR).all(seen))
          scheduleNotice(platen, id, seen);
        saveSetting(platen, SEEN, JSON.stringify(newest));
      }),
    );
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
  // The first mail does not list what came before there was a relay.
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
