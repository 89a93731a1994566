import type { Choice } from "../form/join-choice";
import { type PostFields, SWITCHES } from "../form/post-fields";
import { isOther, type Passage, passagesOf } from "./passages";

/** What is chosen from, and how it is called in the form: by what it says, so that an answer is never taken for another's. */
interface Asked extends Passage {
  key: string;
}

export interface AskedField extends Asked {
  label: string;
}

export interface Comparison {
  /** What differs beside the text, as it is shown. */
  fields: AskedField[];
  /** The whole texts; without a key: what is the same in both. */
  passages: (Passage & { key: string | null })[];
  /** Of another type each: only one of them can be taken. */
  isOneOfTwo: boolean;
}

const FIELDS = [
  ["title", "Title"],
  ["slug", "Address"],
  ["category", "Category"],
  ["tags", "Tags"],
  ["publishedAt", "Publish at"],
  ["type", "Type"],
  ["previewImage", "Its picture elsewhere"],
] as const satisfies [keyof PostFields, string][];

export function compared(mine: PostFields, theirs: PostFields): Comparison {
  const keyFor = keys();
  const asked = (label: string, mine: string, theirs: string): AskedField[] =>
    mine === theirs ? [] : [{ label, mine, theirs, key: keyFor(label, mine, theirs) }];
  return {
    fields: [
      ...FIELDS.flatMap(([name, label]) => asked(label, mine[name], theirs[name])),
      ...asked(SWITCHED, switchWords(mine), switchWords(theirs)),
      ...filesOfBoth(mine, theirs).flatMap((file) => {
        const [ours, others] = [mine.altText.get(file) ?? null, theirs.altText.get(file) ?? null];
        return ours === null || others === null ? [] : asked(altLabel(file), ours, others);
      }),
    ],
    passages: passagesOf(mine, theirs).map((one) => ({
      ...one,
      key: isOther(one) ? keyFor("", one.mine, one.theirs) : null,
    })),
    isOneOfTwo: mine.contentType !== theirs.contentType,
  };
}

/** What is taken where nobody has chosen: yours, or what only they have. */
export function usualChoice({ mine, theirs }: Passage): Choice {
  return mine.trim() === "" && theirs.trim() !== "" ? "theirs" : "mine";
}

/**
 * One text of two, as it was chosen.
 * @param choices by the keys of what differs
 * @returns `isWhole`: whether each was chosen; what was not is as usual
 */
export function joined(mine: PostFields, theirs: PostFields, choices: ReadonlyMap<string, Choice>) {
  const { fields, passages, isOneOfTwo } = compared(mine, theirs);
  const asked = [...fields, ...passages.filter(({ key }) => key !== null)];
  const choiceOf = (one: Passage & { key: string | null }) => choices.get(one.key ?? "") ?? usualChoice(one);
  const isTheirs = (label: string) => fields.some((one) => one.label === label && choiceOf(one) === "theirs");
  const said = Object.fromEntries(
    FIELDS.map(([name, label]) => [name, (isTheirs(label) ? theirs : mine)[name]]),
  ) as Pick<PostFields, (typeof FIELDS)[number][0]>;
  const [whole] = passages;
  const isTheirText = isOneOfTwo && whole !== undefined && choiceOf(whole) === "theirs";
  return {
    isWhole: asked.every(({ key }) => choices.has(key as string)),
    fields: {
      ...said,
      content: contentOf(passages, choiceOf, mine.contentType),
      contentType: isTheirText ? theirs.contentType : mine.contentType,
      switches: (isTheirs(SWITCHED) ? theirs : mine).switches,
      altText: new Map(
        [...mine.altText.keys(), ...theirs.altText.keys()].map((file) => {
          const [ours, others] = [mine.altText.get(file) ?? null, theirs.altText.get(file) ?? null];
          return [file, ours === null || (others !== null && isTheirs(altLabel(file))) ? others : ours];
        }),
      ),
    } satisfies PostFields,
  };
}

function contentOf(
  passages: Comparison["passages"],
  choiceOf: (one: Comparison["passages"][number]) => Choice,
  type: PostFields["contentType"],
): string {
  let content = "";
  const add = (text: string) => {
    // Paragraphs of Markdown are apart by an empty line; one that was the last has none after it.
    const isApart = content.trim() === "" || text.trim() === "" || endsWithEmptyLine(content);
    content += `${type === "markdown" && !isApart ? "\n\n" : ""}${text}`;
  };
  for (const one of passages) {
    const choice = one.key === null ? "mine" : choiceOf(one);
    if (choice !== "theirs") add(one.mine);
    if (choice !== "mine") add(one.theirs);
  }
  return content;
}

function endsWithEmptyLine(text: string): boolean {
  return (text.slice(text.trimEnd().length).match(/\n/g) ?? []).length > 1;
}

const SWITCHED = "Switched on";
const altLabel = (file: string) => `Alt text of ${file}`;

function switchWords({ switches }: PostFields): string {
  return switches
    .map((name) => SWITCHES[name][1])
    .sort()
    .join(", ");
}

function filesOfBoth(mine: PostFields, theirs: PostFields): string[] {
  return [...mine.altText.keys()].filter((file) => theirs.altText.has(file));
}

/** Keys of the same words that are asked for twice differ too. */
function keys() {
  const seen = new Map<string, number>();
  return (...words: string[]) => {
    const key = new Bun.CryptoHasher("sha256").update(JSON.stringify(words)).digest("base64url").slice(0, 22);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    return `${key}${times || ""}`;
  };
}
