const format = new Intl.NumberFormat("en-GB");

/** "1 post", "1,200 posts". @param more where an "s" at the end is not all */
export function counted(number: number, one: string, more = `${one}s`): string {
  return `${format.format(number)} ${number === 1 ? one : more}`;
}
