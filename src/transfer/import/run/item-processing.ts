import type { Blog } from "../../../blogs/blogs";
import { MINUTE, SECOND } from "../../../config/units";
import { inTransaction } from "../../../database/transactions";
import { Refusal } from "../../../errors";
import {
  type ImportedKomment,
  type PreparedKomment,
  prepareKomment,
} from "../../../komments/importing-komments";
import { type ImportedMessage, importMessage, isNewMessage } from "../../../messages/importing-messages";
import type { Platen } from "../../../platen";
import { SourceError } from "../sources/source";
import { addRecord, type ImportRow } from "./import-records";
import type { ImportReport } from "./import-report";

/** After this wait, the import ends. A second run can continue it. */
const MAX_BUSY_WAIT_MS = 10 * MINUTE;
const RETRY_DELAY_SECONDS = 5;
const MAX_NAME_LENGTH = 200;

/**
 * @param work must have no effect if it throws
 * @throws Refusal (busy) after MAX_BUSY_WAIT_MS
 */
export async function retryWhileBusy<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  const until = performance.now() + MAX_BUSY_WAIT_MS;
  for (;;)
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof Refusal && error.kind === "busy";
      if (!isBusy || performance.now() >= until) throw error;
      await Bun.sleep((error.retryAfter ?? RETRY_DELAY_SECONDS) * SECOND);
    }
}

/** Rethrows errors that affect other items too, such as a full disk. */
export async function reportItemErrors(
  report: ImportReport,
  name: string,
  work: () => Promise<void> | void,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof RangeError) report.errors.add(`${name}: is nested too deeply.`);
    else if (isItemError(error)) report.errors.add(`${name}: ${error.message}`);
    else throw error;
  }
}

export function isItemError(error: unknown): error is Error {
  if (error instanceof SourceError) return true;
  return error instanceof Refusal && !/^(busy|no room|unwritable|missing)$/.test(error.kind);
}

/** Oldest first. Reports invalid komments. @param title of the post, or "" */
export async function prepareKomments(
  report: ImportReport,
  title: string,
  komments: ImportedKomment[],
): Promise<PreparedKomment[]> {
  const ready: PreparedKomment[] = [];
  for (const komment of komments.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const name = `Komment by ${komment.name || "unknown"}${title && ` on ${title}`}`;
    await reportItemErrors(report, name, async () => {
      ready.push(await retryWhileBusy(() => prepareKomment(komment)));
    });
  }
  return ready;
}

/** @param run null for a preview */
export async function importMessages(
  { platen, blog, report }: { platen: Platen; blog: Blog; report: ImportReport },
  run: ImportRow | null,
  messages: Iterable<ImportedMessage> | AsyncIterable<ImportedMessage>,
): Promise<void> {
  const insert = (message: ImportedMessage): boolean => {
    if (!run) return isNewMessage(platen, blog, message);
    return inTransaction(platen, () => {
      const id = importMessage(platen, blog, message);
      if (id !== null) addRecord(platen, run, "message", String(id), id);
      return id !== null;
    });
  };
  for await (const message of messages) {
    const name = message.name.slice(0, MAX_NAME_LENGTH) || "unknown";
    await reportItemErrors(report, `Message from ${name}`, async () => {
      if (await retryWhileBusy(() => insert(message))) report.messages++;
    });
  }
}

const CONCURRENCY = 6;

/** Starts the items in order. On an error, finishes the running items and then throws the error. */
export async function forEachConcurrently<Item>(
  items: AsyncGenerator<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const worker = async () => {
    for await (const item of items) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
