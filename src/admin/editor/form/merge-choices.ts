const CHOICES = ["mine", "theirs", "both"] as const;
export type Choice = (typeof CHOICES)[number];

const PREFIX = "take-";

export function choiceField(key: string): string {
  return PREFIX + key;
}

export function parseChoices(sent: [name: string, value: string][]): Map<string, Choice> {
  const chosen = sent.flatMap(([name, value]): [string, Choice][] => {
    const choice = CHOICES.find((one) => one === value);
    return choice && name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), choice]] : [];
  });
  return new Map(chosen);
}

/** Keys are hashes of both texts, so that a choice does not apply to texts that have changed since. */
export function choiceKeys(): (...words: string[]) => string {
  const seen = new Map<string, number>();
  return (...words) => {
    const key = new Bun.CryptoHasher("sha256").update(JSON.stringify(words)).digest("base64url").slice(0, 22);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    return `${key}${times || ""}`;
  };
}
