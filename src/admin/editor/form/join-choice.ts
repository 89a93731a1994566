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
