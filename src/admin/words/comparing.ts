/** What this thread has used of the processor, in milliseconds: it stands still while the machine is busy with something else. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Compares for so many milliseconds of the thread's time. What compares goes by the clock: broken off by that before it had
 * its time, it begins anew.
 * @param compare undefined where it took longer, by the clock, than it is told
 */
export function comparedWithin<Found>(
  most: number,
  compare: (timeout: number) => Found | undefined,
): Found | undefined {
  const until = threadTime() + most;
  for (let left = most; left > 0; left = until - threadTime()) {
    const found = compare(left);
    if (found) return found;
  }
}
