import { SECOND } from "../../config/units";
import { busy } from "../../errors";
import type { Platen } from "../../platen";
import { JobLimitExceeded, workerQueues } from "../../worker-queue";
import type { ReadQuery, runReadOnly } from "./read-only-query";

const DEADLINE = 2 * SECOND;
/** In seconds. */
const RETRY_AFTER = 5;

/**
 * Runs queries that may read much in the reader thread, which sees everything that is committed; others are answered
 * meanwhile. Not for use inside a transaction.
 * @returns the rows of each query
 * @throws Refusal (busy) after two seconds, or if too many queries wait already
 */
export async function readInWorker<Rows extends unknown[]>(
  { db }: Pick<Platen, "db">,
  queries: ReadQuery[],
): Promise<{ [At in keyof Rows]: Rows[At][] }> {
  const cost = { within: DEADLINE, characters: 0, source: "reader" };
  try {
    const rows = await workerQueues.reader.run<typeof runReadOnly>(
      "runReadOnly",
      cost,
      db.$client.filename,
      queries,
    );
    return rows as { [At in keyof Rows]: Rows[At][] };
  } catch (fault) {
    if (fault instanceof JobLimitExceeded)
      throw busy("This search took too long. Try fewer or longer words.", RETRY_AFTER);
    throw fault;
  }
}
