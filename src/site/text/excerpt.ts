/** The beginning of a text on one line, cut between words where it is longer than `most` characters. */
export function excerpt(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  if (characters.length <= most) return line;
  const cut = characters.slice(0, most).join("");
  const words = cut.replace(/\s+\S*$/, "");
  return `${(words.length > most / 2 ? words : cut).replace(/[\s.,;:–—-]+$/, "")}…`;
}
