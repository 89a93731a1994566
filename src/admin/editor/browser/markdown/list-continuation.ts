/** A line of a list, a task or a quote: what stands before its text. */
const ITEM = /^(\s*)(?:([-*+]) (\[[ xX]\] )?|(\d{1,9})([.)]) |(> ?))/;

/** What Enter puts in behind a line, or, where the line has only its sign, that the sign goes. */
type Continuation = { put: string } | { removeSign: true };

/** Null where Enter does what it always does. @param line the line up to the cursor */
export function continuationOf(line: string): Continuation | null {
  const match = ITEM.exec(line);
  if (!match) return null;
  const [sign, indent, bullet, task, number, dot, quote] = match;
  if (line.slice(sign.length).trim() === "") return { removeSign: true };
  const next = bullet
    ? `${bullet} ${task ? "[ ] " : ""}`
    : number
      ? `${Number(number) + 1}${dot} `
      : (quote as string);
  return { put: `\n${indent}${next}` };
}
