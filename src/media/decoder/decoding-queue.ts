import { availableParallelism } from "node:os";
import { throttled } from "../../errors";

/** Work that waits; whoever comes then is told to come again. */
const MOST_WAITING = 1000;
const COME_AGAIN_IN = 30;

/** What is urgent begins beside as many that are not as there are processors. */
const URGENT_BESIDE = 2;

interface Waiting {
  need: number;
  together: number;
  isUrgent: boolean;
  go: () => void;
}

/** One for the process, as the decoder is. */
const state = { running: 0, taken: 0, urgent: [] as Waiting[], patient: [] as Waiting[] };

/**
 * Runs work when there is memory for it, in the order it came; what somebody waits for comes before what nobody does.
 * What needs more than there is for all together runs alone.
 * @param need in bytes
 * @param together what all that runs at a time may take, in bytes
 * @throws Refusal (throttled) where too much is waiting
 */
export async function whenThereIsMemory<Result>(
  { need, together, isUrgent }: { need: number; together: number; isUrgent: boolean },
  work: () => Promise<Result>,
): Promise<Result> {
  if (state.urgent.length + state.patient.length >= MOST_WAITING)
    throw throttled("Too many pictures are being read just now.", COME_AGAIN_IN);
  await new Promise<void>((go) => {
    (isUrgent ? state.urgent : state.patient).push({ need, together, isUrgent, go });
    admit();
  });
  try {
    return await work();
  } finally {
    state.running--;
    state.taken -= need;
    admit();
  }
}

function admit(): void {
  for (;;) {
    const queue = state.urgent.length > 0 ? state.urgent : state.patient;
    const [next] = queue;
    if (!next || !fits(next)) return;
    queue.shift();
    state.running++;
    state.taken += next.need;
    next.go();
  }
}

function fits({ need, together, isUrgent }: Waiting): boolean {
  if (state.running === 0) return true;
  const most = availableParallelism() + (isUrgent ? URGENT_BESIDE : 0);
  return state.running < most && state.taken + need <= together;
}
