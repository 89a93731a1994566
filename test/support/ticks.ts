/** @returns number of event-loop ticks before the result */
export async function countTicks<Answer>(ask: () => Promise<Answer>) {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const answer = await ask();
  isOver = true;
  return { turns, answer };
}
