/** To be awaited between steps that take long together: others' requests, which have come meanwhile, are answered first. */
export function nextTurn(): Promise<void> {
  return new Promise((turn) => setImmediate(turn));
}
