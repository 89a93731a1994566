import { RENDER_TIMEOUT_MS } from "../../posts/post/post";
import { findUnsaved, knowsStored } from "../../posts/unsaved-posts";
import { JobLimitExceeded, workerQueues } from "../../worker-queue";
import type { BlogVisit } from "../layout/visit";
import type { Choice, Passage, ShownPassage, Text } from "./conflict-comparison";
import { choiceKeys, compareTexts, withoutComparison } from "./conflict-comparison";
import { placeOf, replaceAutosaved, SaveConflict, storedPost } from "./editor-saving";
import type { PostFields, SentPost, TextField } from "./post-form";
import { fieldsOf, mapTextFields, parseFields, TEXT_FIELDS, versionOf } from "./post-form";
import { SWITCHES } from "./post-switches";

const MAX_LENGTH_WITHOUT_WORKER = 4000;

interface ComparedField extends Passage {
  key: string;
  label: string;
}

interface Comparison {
  fields: ComparedField[];
  passages: ShownPassage[];
  haveDifferentFormats: boolean;
}

/** @throws SaveConflict if a choice is missing; Refusal (conflict) if another form autosaves meanwhile */
export async function mergeTexts(visit: BlogVisit, sent: SentPost): Promise<void> {
  const post = storedPost(visit, sent.id);
  const unsaved = findUnsaved(visit.platen, placeOf(visit, sent));
  const other = knowsStored(sent.stamps, unsaved) ? null : unsaved;
  const theirs = (other ? parseFields(other.fields) : post && fieldsOf(post)) ?? sent.fields;
  const comparison = await compareForms(visit, sent.fields, theirs);
  const { fields, isComplete } = mergeForms(sent.fields, theirs, comparison, sent.choices);
  if (!isComplete) throw new SaveConflict(post, other);
  // If both texts are unsaved, the user must still compare the result with the saved post.
  const version = other || !post ? sent.version : versionOf(post);
  replaceAutosaved(visit, { ...sent, version }, fields, other?.stamps.split(" "));
}

export async function compareForms({ account }: BlogVisit, mine: PostFields, theirs: PostFields) {
  return {
    fields: compareFields(mine, theirs),
    passages: await compareTextsInTime(`account ${account.id}`, mine, theirs),
    haveDifferentFormats: mine.contentType !== theirs.contentType,
  };
}

async function compareTextsInTime(source: string, mine: Text, theirs: Text): Promise<ShownPassage[]> {
  const characters = mine.content.length + theirs.content.length;
  if (characters <= MAX_LENGTH_WITHOUT_WORKER) return compareTexts(mine, theirs);
  const cost = { within: RENDER_TIMEOUT_MS, characters, source };
  try {
    return await workerQueues.authors.run<typeof compareTexts>("compareTexts", cost, mine, theirs);
  } catch (error) {
    if (error instanceof JobLimitExceeded) return withoutComparison(mine, theirs);
    throw error;
  }
}

function compareFields(mine: PostFields, theirs: PostFields): ComparedField[] {
  const keyFor = choiceKeys();
  // An alt text that only one version has is no difference.
  const difference = (label: string, mine: string, theirs = mine): ComparedField[] =>
    mine === theirs ? [] : [{ label, mine, theirs, key: keyFor(label, mine, theirs) }];
  return [
    ...TEXT_FIELD_NAMES.flatMap((name) => difference(TEXT_FIELDS[name][1], mine[name], theirs[name])),
    ...difference(TYPE, mine.type, theirs.type),
    ...difference(SWITCHED, switchWords(mine), switchWords(theirs)),
    ...[...mine.altText].flatMap(([file, alt]) =>
      alt === null ? [] : difference(altLabel(file), alt, theirs.altText.get(file) ?? undefined),
    ),
  ];
}

export function usualChoice({ mine, theirs }: Passage): Choice {
  return mine.trim() === "" && theirs.trim() !== "" ? "theirs" : "mine";
}

export function mergeForms(
  mine: PostFields,
  theirs: PostFields,
  { fields, passages, haveDifferentFormats }: Comparison,
  choices: ReadonlyMap<string, Choice>,
) {
  const differences = [...fields, ...passages.filter(({ key }) => key !== null)];
  const choiceOf = (one: Passage & { key: string | null }) => choices.get(one.key ?? "") ?? usualChoice(one);
  const isTheirs = (label: string) => fields.some((one) => one.label === label && choiceOf(one) === "theirs");
  const chosen = (label: string) => (isTheirs(label) ? theirs : mine);
  const { switches, offered, overrides } = chosen(SWITCHED);
  const altTextOf = (file: string) =>
    chosen(altLabel(file)).altText.get(file) ?? theirs.altText.get(file) ?? null;
  const [whole] = passages;
  const isTheirText = haveDifferentFormats && whole !== undefined && choiceOf(whole) === "theirs";
  return {
    isComplete: differences.every(({ key }) => choices.has(key as string)),
    fields: {
      ...mapTextFields((name) => chosen(TEXT_FIELDS[name][1])[name]),
      type: chosen(TYPE).type,
      content: contentOf(passages, choiceOf, mine.contentType),
      contentType: isTheirText ? theirs.contentType : mine.contentType,
      switches,
      offered,
      overrides,
      altText: new Map([...mine.altText, ...theirs.altText].map(([file]) => [file, altTextOf(file)])),
    } satisfies PostFields,
  };
}

function contentOf(
  passages: ShownPassage[],
  choiceOf: (one: ShownPassage) => Choice,
  type: PostFields["contentType"],
): string {
  let content = "";
  const add = (text: string) => {
    const end = content.slice(content.trimEnd().length);
    // Markdown paragraphs need an empty line between them.
    const isApart = end === content || end.split("\n").length > 2 || text.trim() === "";
    content += type === "html" || isApart ? text : `\n\n${text}`;
  };
  for (const one of passages) {
    const choice = one.key === null ? "mine" : choiceOf(one);
    if (choice !== "theirs") add(one.mine);
    if (choice !== "mine") add(one.theirs);
  }
  return content;
}

const TEXT_FIELD_NAMES = Object.keys(TEXT_FIELDS) as TextField[];
const TYPE = "Type";
const SWITCHED = "Options turned on";
const altLabel = (file: string) => `Alt text of ${file}`;

function switchWords({ switches }: PostFields): string {
  return switches
    .map((name) => SWITCHES[name][1])
    .sort()
    .join(", ");
}
