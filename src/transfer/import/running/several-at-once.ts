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
