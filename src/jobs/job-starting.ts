import { jobs } from "../database/schema";
import { conflict } from "../errors";
import type { Platen } from "../platen";
import type { JobKind } from "./job";
import { unfinishedJobs } from "./jobs-in-order";
import { changeQuietly } from "./quiet-changes";

/** Of one account that wait or run: those of a kind are done one after the other, whosever they are. */
const MOST_WAITING = 10;

type Known = { id: number };

interface NewJob<Given> {
  /** null: of the whole instance. */
  blog: Known | null;
  /** Who begins it; null: somebody at a terminal. */
  account: Known | null;
  /** JSON. */
  given: Given;
}

/**
 * Writes down what is to be done; the running server begins it within a second, or when the jobs before it are done.
 * @returns its id
 * @throws Refusal (conflict) where too many of the account's wait
 */
export function startJob<Given>(
  platen: Platen,
  kind: JobKind<Given>,
  { blog, account, given }: NewJob<Given>,
): number {
  let id = 0;
  changeQuietly(platen, () => {
    demandFewWaiting(platen, account);
    const row = {
      ...{ kind: kind.name, title: kind.title(given), given, createdAt: platen.now() },
      ...{ blogId: blog?.id ?? null, accountId: account?.id ?? null },
    };
    id = platen.db.insert(jobs).values(row).returning({ id: jobs.id }).get().id;
  });
  return id;
}

function demandFewWaiting(platen: Platen, account: Known | null): void {
  const theirs = unfinishedJobs(platen).filter(({ accountId }) => account && accountId === account.id);
  if (theirs.length >= MOST_WAITING)
    throw conflict(
      `${MOST_WAITING} jobs of yours are not done yet. Wait for one to end, or cancel one under Jobs, and try again.`,
    );
}

/** As `startJob`, unless one of the kind waits or runs already. @returns its id, or that one's */
export function startJobOnce<Given>(platen: Platen, kind: JobKind<Given>, wish: NewJob<Given>): number {
  const begun = unfinishedJobs(platen).find((job) => job.kind === kind.name && !job.isCancelAsked);
  return begun?.id ?? startJob(platen, kind, wish);
}
