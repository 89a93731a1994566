/** So many are asked for one after the other; then numbers are doubled. */
const IN_A_ROW = 8;

/**
 * A name with a number that nobody has: the first where there are few, else one after which none is taken as far as
 * was looked. Asks a few dozen times where thousands are taken.
 * @param named the name with this number, from 1
 */
export function firstFree(named: (number: number) => string, isTaken: (name: string) => boolean): string {
  for (let number = 1; number <= IN_A_ROW; number++) if (!isTaken(named(number))) return named(number);
  let taken = IN_A_ROW;
  let free = 2 * IN_A_ROW;
  for (; isTaken(named(free)); free *= 2) taken = free;
  while (free - taken > 1) {
    const between = Math.floor((taken + free) / 2);
    if (isTaken(named(between))) taken = between;
    else free = between;
  }
  return named(free);
}
