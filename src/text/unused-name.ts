/** Numbers tried one after the other. After that, the number is doubled. */
const IN_A_ROW = 8;

/**
 * Returns a free name with a number: the lowest one if few are taken, else one found by bisection. Needs a few dozen
 * calls even if thousands are taken.
 * @param named returns the name with this number, from 1
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
