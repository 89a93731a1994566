import { MEGABYTE } from "../../config/units";
import type { Platen } from "../../platen";
import { DecoderEnded, perform } from "./decoder-process";
import { type Outcome, PictureFault, type Task, type TaskName, type Tasks } from "./decoder-tasks";
import { whenThereIsMemory } from "./decoding-queue";
import { decodingLimits } from "./memory-need";

/** A task whose decoder dies is given to another, alone; one that no decoder survives is given up. */
const ATTEMPTS = 3;

/** What reading a header takes, or drawing a card. */
export const LITTLE = 24 * MEGABYTE;

/**
 * Has a process of its own work on pictures: a decoder that runs wild or dies takes nothing with it.
 * @param need memory, in bytes
 * @param isUrgent somebody waits for it
 * @throws PictureFault; DecoderEnded where no decoder survives it; Refusal (throttled) where too much waits; else an error
 * with the system's `code`, as for a full disk
 */
export async function decoded<Name extends TaskName>(
  platen: Platen,
  name: Name,
  asked: Tasks[Name]["asked"],
  { need, isUrgent = true }: { need: number; isUrgent?: boolean },
): Promise<Tasks[Name]["done"]> {
  const { alone, together, decoder } = decodingLimits(platen.config.memory);
  const task = { name, dataFolder: platen.config.data, ...asked } as Task;
  for (let attempt = 1; ; attempt++) {
    const share = attempt === 1 ? need : alone;
    try {
      const room = { need: share, together, isUrgent };
      return whatCameOf(await whenThereIsMemory(room, () => perform(task, decoder)));
    } catch (fault) {
      if (!(fault instanceof DecoderEnded)) throw fault;
      platen.log(fault.message);
      if (attempt === ATTEMPTS) throw fault;
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what comes back is what the task's name says
function whatCameOf(outcome: Outcome): any {
  if ("done" in outcome) return outcome.done;
  if ("pictureFault" in outcome) throw new PictureFault(outcome.pictureFault);
  throw Object.assign(new Error(outcome.failed), outcome.code === undefined ? {} : { code: outcome.code });
}
