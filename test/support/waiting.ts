/** Polling interval in milliseconds. The limit is counted in intervals. */
const [PAUSE, TICK] = [10, 100];
/** Counts only time in which this process runs: on a busy machine it may be suspended. */
const PATIENCE_MS = 60_000;

/**
 * Waits for an event, and fails with a message if it does not come.
 * @param awaited ends the sentence "Timed out waiting for …"
 * @param instead describes the current state for the message
 * @param patience limit in milliseconds; more than a minute only for long work
 */
export async function waitFor<Value>(
  coming: Promise<Value>,
  awaited: string,
  instead: () => unknown = () => "nothing",
  patience = PATIENCE_MS,
): Promise<Value> {
  const limit = Promise.withResolvers<never>();
  let left = patience / TICK;
  const clock = setInterval(async () => {
    if (--left > 0) return;
    clearInterval(clock);
    const found = await Promise.try(instead).catch(String);
    limit.reject(new Error(`Timed out waiting for ${awaited}. Current state: ${found}`));
  }, TICK);
  try {
    return await Promise.race([coming, limit.promise]);
  } finally {
    clearInterval(clock);
  }
}

/**
 * Polls until there is a result.
 * @param look returns the result, or a falsy value
 * @returns the result
 */
export async function until<Found>(
  look: () => Found | Promise<Found>,
  awaited: string,
  instead?: () => unknown,
): Promise<Exclude<Found, false | 0 | "" | null | undefined>> {
  let isOver = false;
  const looking = async () => {
    for (;;) {
      const found = await look();
      if (found || isOver) return found as Exclude<Found, false | 0 | "" | null | undefined>;
      await Bun.sleep(PAUSE);
    }
  };
  return await waitFor(looking(), awaited, instead).finally(() => {
    isOver = true;
  });
}
