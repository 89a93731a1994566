/** "1,200". Intl is too slow for pages with hundreds of numbers. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * "1 post", "1,200 posts"
 * @param more plural, if it is not formed with "s"
 */
export function counted(number: number, one: string, more = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : more}`;
}
