import { MAX_SLUG_LENGTH } from "../../blogs/slug";
import { MAX_LENGTHS, UNTRIMMED_FACTOR } from "../../config/request-limits";
import { assertNoFieldErrors, type FieldErrors } from "../../errors";
import { cleanText, oneLine } from "../../text/clean-text";
import { isLanguage, LANGUAGE_ERROR } from "../../text/language-tags";
import { checkProperties, type Properties } from "../post/mf2-properties";
import type { Content, PostRow } from "../post/post";
import { MAX_SUMMARY_LENGTH, MAX_TAGS, MAX_TITLE_LENGTH, MAX_TOPIC_NAME_LENGTH } from "../post/post";
import type { ReachChannel } from "../post/reach-channels";
import { topicNameKey } from "../storage/categories-and-tags";

export const MAX_CONTENT_BYTES = 1_000_000;
const MAX_ALT_TEXTS = 1000;
const MAX_ALT_TEXT_LENGTH = 10_000;

/** Fields that a save copies from the changes. Add new fields here. */
const PLAIN_FIELDS = [
  "type",
  /** Replaces all alt texts of the post. */
  "altText",
  "previewImage",
  "hidden",
  "hideInRss",
  "noIndexNoFollow",
  "showContactForm",
  "kommentsDisabled",
  "skipArchive",
  "pinned",
  "summary",
  "series",
  "language",
] as const satisfies (keyof PostRow)[];
type PlainFields = Pick<PostRow, (typeof PLAIN_FIELDS)[number]>;

export interface PostChanges extends Partial<PlainFields> {
  title?: string;
  content?: string;
  /** Default: HTML if `content` is set, otherwise the current type. */
  contentType?: Content["sourceType"];
  status?: PostRow["status"];
  /** Saving normalizes the slug, and appends a number if it is taken. */
  slug?: string;
  /** null clears the time. If the post is published, null sets the current time. */
  publishedAt?: Date | null;
  /** A new name creates the category. null or "" removes the post from its category. */
  category?: string | null;
  /** Takes precedence over `category`. */
  categoryId?: number | null;
  tags?: string[];
  isShared?: boolean;
  /** Id of a post that this post translates; null ends the relation. */
  translationOf?: number | null;
  /** Whether each channel gets the post. Omitted channels keep their choice; null restores the defaults. */
  reach?: Partial<Record<ReachChannel, boolean>> | null;
  /** Replaces only the named properties. An empty list removes a property. */
  properties?: Properties;
}

/** @returns normalized changes @throws Refusal (invalid) */
export function checkChanges(changes: PostChanges): PostChanges {
  const { title, summary, series, language, slug, content } = changes;
  const { category, tags, altText, previewImage, properties } = changes;
  const checked = { ...changes };
  const errors: FieldErrors = {};
  const atMost = (field: string, length: number, most: number, unit: string) => {
    if (length > most) errors[field] = [`must be at most ${most} ${unit}`];
  };
  const cleaned = (field: string, text: string, most: number, unit = "characters", clean = oneLine) => {
    const result = text.length > UNTRIMMED_FACTOR * most ? null : clean(text);
    // Counts code points, because most emoji have one. The UTF-16 length is never shorter.
    const isTooLong = result === null || (result.length > most && [...result].length > most);
    if (isTooLong) errors[field] = [`must be at most ${most} ${unit}`];
    return result ?? "";
  };
  if (title !== undefined) checked.title = cleaned("title", title, MAX_TITLE_LENGTH);
  if (typeof summary === "string") checked.summary = cleaned("summary", summary, MAX_SUMMARY_LENGTH) || null;
  if (typeof series === "string") checked.series = cleaned("series", series, MAX_TOPIC_NAME_LENGTH) || null;
  if (language && isLanguage(language)) checked.language = Intl.getCanonicalLocales(language)[0];
  else if (language?.trim()) errors.language = [LANGUAGE_ERROR];
  else if (language !== undefined) checked.language = null;
  if (slug !== undefined) checked.slug = cleaned("slug", slug, MAX_SLUG_LENGTH);
  if (content !== undefined && Buffer.byteLength(content) > MAX_CONTENT_BYTES)
    errors.content = ["must be at most 1 MB (1,000,000 bytes)"];
  else if (content !== undefined) checked.content = cleanText(content);
  if (previewImage)
    checked.previewImage = cleaned("preview_image", previewImage, MAX_LENGTHS.filename) || null;
  if (typeof category === "string") checked.category = cleaned("category", category, MAX_TOPIC_NAME_LENGTH);
  if (tags && tags.length <= UNTRIMMED_FACTOR * MAX_TAGS) {
    const names = tags.map((tag) => cleaned("tags", tag, MAX_TOPIC_NAME_LENGTH, "characters each"));
    const byKey = new Map(names.filter(Boolean).map((name) => [topicNameKey(name), name]));
    checked.tags = [...byKey.values()];
  }
  atMost("tags", checked.tags?.length ?? 0, MAX_TAGS, "tags");
  const alts = Object.entries(altText ?? {});
  const altLength = alts.reduce((sum, [, alt]) => sum + alt.length, 0);
  const cleanedAlt = ([filename, alt]: [string, string]) => [
    cleaned("alt_text", filename, MAX_LENGTHS.filename, "characters for a filename", cleanText),
    cleaned("alt_text", alt, MAX_ALT_TEXT_LENGTH, "characters each", cleanText),
  ];
  if (altText && alts.length <= MAX_ALT_TEXTS && altLength <= MAX_LENGTHS.altTexts)
    checked.altText = Object.fromEntries(alts.map(cleanedAlt));
  atMost("alt_text", altLength, MAX_LENGTHS.altTexts, "characters together");
  atMost("alt_text", alts.length, MAX_ALT_TEXTS, "entries");
  assertNoFieldErrors(errors);
  if (properties) checked.properties = checkProperties(properties);
  return checked;
}

export function plainFields(changes: Partial<PlainFields>): Partial<PlainFields> {
  const names = PLAIN_FIELDS.filter((name) => changes[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, changes[name]]));
}
