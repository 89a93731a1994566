import { MINUTE, SECOND } from "../../../config/units";
import { Refusal } from "../../../errors";
import { SourceFault } from "../sources/source";
import type { ImportReport } from "./import-report";

/** Whoever else writes all that while wins: the import ends, and goes on when it is begun again. */
const PATIENCE = 10 * MINUTE;
/** In seconds. */
const NEXT_TRY = 5;

/**
 * Does again what was refused because others are writing: nobody looks at an import as at a form, and nothing of it may
 * be missing in the end.
 * @param work that fares as though it had not been begun where it is refused
 * @throws Refusal (busy) where it stays so
 */
export async function patiently<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  const until = performance.now() + PATIENCE;
  for (;;)
    try {
      return await work();
    } catch (fault) {
      const isBusy = fault instanceof Refusal && fault.kind === "busy";
      if (!isBusy || performance.now() >= until) throw fault;
      await Bun.sleep((fault.retryAfter ?? NEXT_TRY) * SECOND);
    }
}

/** What is refused is told of by name, and left out; a full disk ends everything. */
export async function orReported(
  report: ImportReport,
  name: string,
  work: () => Promise<void> | void,
): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (fault instanceof RangeError) report.faults.add(`${name}: is nested too deep to be read.`);
    else if (isOfItem(fault)) report.faults.add(`${name}: ${fault.message}`);
    else throw fault;
  }
}

/** Of an item, and of nothing else: the next may fare better. */
export function isOfItem(fault: unknown): fault is Error {
  if (fault instanceof SourceFault) return true;
  return fault instanceof Refusal && !/^(busy|no room|unwritable|missing)$/.test(fault.kind);
}

/** What is worked on at one time: while one waits for a picture, or to be rendered, others go on. */
const AT_ONCE = 6;

/** In the order in which they come, a few at one time; the first fault ends it once those under way have ended. */
export async function severalAtOnce<Item>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { fault: unknown } | null = null;
  for await (const item of items) {
    const one: Promise<void> = work(item)
      .catch((fault) => {
        failure ??= { fault };
      })
      .finally(() => running.delete(one));
    running.add(one);
    if (running.size >= AT_ONCE) await Promise.race(running);
    if (failure) break;
  }
  await Promise.all(running);
  if (failure) throw (failure as { fault: unknown }).fault;
}

/** Of work that is done at one time, what shares a name with other work waits for that. What is no text is no name. */
export function ordered() {
  const underWay = new Map<string, Promise<void>>();
  return async (given: unknown[], work: () => Promise<void>): Promise<void> => {
    const names = given.filter((name) => typeof name === "string");
    const own = Promise.all(names.map((name) => underWay.get(name))).then(work);
    for (const name of names) underWay.set(name, own);
    try {
      await own;
    } finally {
      for (const name of names) if (underWay.get(name) === own) underWay.delete(name);
    }
  };
}
