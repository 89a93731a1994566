/** What is taken of two texts: one of them, or the one after the other. */
const CHOICES = ["mine", "theirs", "both"] as const;
export type Choice = (typeof CHOICES)[number];

const PREFIX = "take-";

/** The name of the fields that ask for it. */
export function choiceField(key: string): string {
  return PREFIX + key;
}

/** What was chosen, by what it was asked for. */
export function choicesIn(sent: [name: string, value: string][]): Map<string, Choice> {
  const chosen = sent.flatMap(([name, value]): [string, Choice][] => {
    const choice = CHOICES.find((one) => one === value);
    return choice && name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), choice]] : [];
  });
  return new Map(chosen);
}

/** Names what is chosen from by what it says, so that an answer is never taken for another's; the same words asked for twice differ too. */
export function choiceKeys(): (...words: string[]) => string {
  const seen = new Map<string, number>();
  return (...words) => {
    const key = new Bun.CryptoHasher("sha256").update(JSON.stringify(words)).digest("base64url").slice(0, 22);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    return `${key}${times || ""}`;
  };
}
