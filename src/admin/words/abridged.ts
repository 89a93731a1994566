/** Of what stays the same beside what does not, in characters. */
const SHOWN_AROUND = 160;

/** Without its middle, where it is long. */
export function abridged(text: string, hasBefore: boolean, hasAfter: boolean): string {
  const first = hasBefore ? SHOWN_AROUND : 0;
  const last = hasAfter ? SHOWN_AROUND : 0;
  if (text.length <= first + last + SHOWN_AROUND) return text;
  return `${text.slice(0, first)} … ${last ? text.slice(-last) : ""}`;
}
