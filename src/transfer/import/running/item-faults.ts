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
