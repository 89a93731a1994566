/** In milliseconds: between two looks, and what the limit is counted in. */
const [PAUSE, TICK] = [10, 100];
/** Only time in which this process runs counts: on a busy machine it may stand still. */
const PATIENCE_MS = 60_000;

/**
 * Waits for what comes by itself; where it never does, fails and says so.
 * @param awaited ends the sentence "Waited in vain for …"
 * @param instead what there is in its place
 * @param patience in milliseconds; more than a minute only for long work, not for what may never come
 */
export async function patiently<Value>(
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
    limit.reject(new Error(`Waited in vain for ${awaited}. There was instead: ${found}`));
  }, TICK);
  try {
    return await Promise.race([coming, limit.promise]);
  } finally {
    clearInterval(clock);
  }
}

/**
 * Looks again and again until there is something, as patiently.
 * @param look may ask a page, a server or a command each time
 * @returns what was found
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
  return await patiently(looking(), awaited, instead).finally(() => {
    isOver = true;
  });
}
