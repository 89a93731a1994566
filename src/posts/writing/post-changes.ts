import { MAX_SLUG_LENGTH } from "../../blogs/slug";
import { MAX_LENGTHS, UNTRIMMED_FACTOR } from "../../config/request-limits";
import { assertNoFieldErrors, type FieldErrors } from "../../errors";
import { cleanText, oneLine } from "../../text/clean-text";
import { assertPropertySize, checkProperties, type Properties } from "../post/mf2-properties";
import type { Content, PostRow } from "../post/post";
import {
  CONTENT_LIMIT,
  MAX_ALT_TEXT_LENGTH,
  MAX_ALT_TEXTS,
  MAX_CONTENT_BYTES,
  MAX_SUMMARY_LENGTH,
  MAX_TAGS,
  MAX_TITLE_LENGTH,
  MAX_TOPIC_NAME_LENGTH,
} from "../post/post-limits";
import { topicNameKey } from "../topics/topics";

/** Fields that are stored without conversion. Add new fields of this kind here. */
const PLAIN_FIELDS = [
  "type",
  /** filename → alt text. Replaces all alt texts of the post. */
  "altText",
  "previewImage",
  "hidden",
  "hideInRss",
  "noIndexNoFollow",
  "showContactForm",
  "kommentsDisabled",
  "skipArchive",
  "pinned",
  /** Summary; if null, lists and feeds use the excerpt. */
  "summary",
  /** Name of a series; null if the post is in none. */
  "series",
] as const satisfies (keyof PostRow)[];
type PlainFields = Pick<PostRow, (typeof PLAIN_FIELDS)[number]>;

/** All fields that a client may set. Every adapter converts its requests to this type. */
export interface PostChanges extends Partial<PlainFields> {
  title?: string;
  content?: string;
  /** Format of the content; HTML by default. */
  contentType?: Content["sourceType"];
  status?: PostRow["status"];
  /** Requested slug. It is normalized, and numbered if taken. */
  slug?: string;
  /** Publication time. null clears it; then a published post gets the current time. */
  publishedAt?: Date | null;
  /** Category name. A new name creates the category; null or "" clears it. */
  category?: string | null;
  /** Category id. Takes precedence over `category`. */
  categoryId?: number | null;
  tags?: string[];
  isShared?: boolean;
  /** Microformats properties. Replaces only the named properties; an empty list removes a property. */
  properties?: Properties;
}

/** Normalizes and validates the changes. @throws Refusal (invalid) */
export function checkChanges(changes: PostChanges): PostChanges {
  assertChangesSize(changes);
  const checked = { ...changes };
  if (changes.title !== undefined) checked.title = oneLine(changes.title);
  if (typeof changes.summary === "string") checked.summary = oneLine(changes.summary) || null;
  if (typeof changes.series === "string") checked.series = oneLine(changes.series) || null;
  if (changes.slug !== undefined) checked.slug = oneLine(changes.slug);
  if (changes.content !== undefined) checked.content = cleanText(changes.content);
  if (typeof changes.category === "string") checked.category = oneLine(changes.category);
  if (changes.tags) checked.tags = withoutRepeats(changes.tags.map(oneLine));
  if (changes.altText) checked.altText = cleanedAltText(changes.altText);
  if (changes.previewImage) checked.previewImage = oneLine(changes.previewImage) || null;
  if (changes.properties) checked.properties = checkProperties(changes.properties);
  assertNoFieldErrors(tooLong(checked));
  return checked;
}

/** Checks lengths before any other work is done. @throws Refusal (invalid) */
function assertChangesSize(changes: PostChanges): void {
  assertNoFieldErrors(tooLong(changes, UNTRIMMED_FACTOR));
  if (changes.properties) assertPropertySize(changes.properties);
}

/** @param times factor on the limits for text that is not trimmed yet */
function tooLong(changes: PostChanges, times = 1): FieldErrors {
  const { title, summary, series, slug, content, category, tags = [], altText = {}, previewImage } = changes;
  const faults: FieldErrors = {};
  const atMost = (field: string, length: number, most: number, unit: string) => {
    if (length > most) faults[field] = [`must be at most ${most} ${unit}`];
  };
  const within = (field: string, text: string | null | undefined, most: number, unit = "characters") => {
    // The UTF-16 length is never shorter, so most texts need no count of code points.
    if (text && text.length > times * most)
      atMost(field, times > 1 ? text.length : charactersOf(text), most, unit);
  };
  within("title", title, MAX_TITLE_LENGTH);
  within("summary", summary, MAX_SUMMARY_LENGTH);
  within("series", series, MAX_TOPIC_NAME_LENGTH);
  within("slug", slug, MAX_SLUG_LENGTH);
  if (content !== undefined && Buffer.byteLength(content) > MAX_CONTENT_BYTES)
    faults.content = [`must be ${CONTENT_LIMIT}`];
  within("preview_image", previewImage, MAX_LENGTHS.filename);
  within("category", category, MAX_TOPIC_NAME_LENGTH);
  atMost("tags", tags.length, times * MAX_TAGS, "tags");
  for (const tag of tags) within("tags", tag, MAX_TOPIC_NAME_LENGTH, "characters each");
  const alts = Object.entries(altText);
  atMost(
    "alt_text",
    alts.reduce((sum, [, alt]) => sum + alt.length, 0),
    MAX_LENGTHS.altTexts,
    "characters together",
  );
  atMost("alt_text", alts.length, times * MAX_ALT_TEXTS, "entries");
  for (const [filename, alt] of alts) {
    within("alt_text", filename, MAX_LENGTHS.filename, "characters for a filename");
    within("alt_text", alt, MAX_ALT_TEXT_LENGTH, "characters each");
  }
  return faults;
}

export function plainFields(changes: Partial<PlainFields>): Partial<PlainFields> {
  const given = PLAIN_FIELDS.filter((name) => changes[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, changes[name]]));
}

function withoutRepeats(names: string[]): string[] {
  const byKey = new Map(names.filter(Boolean).map((name) => [topicNameKey(name), name]));
  return [...byKey.values()];
}

function cleanedAltText(altText: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(altText).map(([filename, alt]) => [cleanText(filename), cleanText(alt)]),
  );
}

/** Counts code points, so that an emoji counts once. */
function charactersOf(text: string): number {
  return [...text].length;
}
