import type { Blog } from "../../blogs/blogs";
import { instantOf } from "../../blogs/time-zone";
import { MAX_BYTES } from "../../config/request-limits";
import { invalid } from "../../errors";
import { readHeader } from "../../http/requests/headers";
import { parseForm as parseUrlencoded, readBody } from "../../http/requests/request-body";
import type { ReceivedFile } from "../../media/uploads";
import type { WholePost } from "../../posts/post/post";
import { REACH_CHANNELS, type ReachChannel } from "../../posts/post/reach-channels";
import type { PostChanges } from "../../posts/writing/post-input";
import { oneLine } from "../../text/clean-text";
import { localTime } from "../layout/times-and-languages";
import { assertNoForgery, type FormFields, type Visit } from "../layout/visit";
import { withCaptions } from "./alt-text-and-caption-fields";
import { type Choice, parseChoices } from "./conflict-comparison";
import { readUploads } from "./editor-files";
import type { SwitchName } from "./post-switches";
import { isChannelSelected, isReachSwitch, isSentByDefault, SWITCH_NAMES } from "./post-switches";

/** Fields of one line or paragraph: name in the form, and label where two versions are compared. */
export const TEXT_FIELDS = {
  title: ["title", "Title"],
  slug: ["slug", "Address"],
  category: ["category", "Category"],
  tags: ["tags", "Tags"],
  series: ["series", "Series"],
  /** Language tag; "" for the blog's language. */
  language: ["language", "Language"],
  /** Slug of another post of the blog, or URL of a post in another blog; "" if it is no translation. */
  translationOf: ["translation_of", "Translation of"],
  summary: ["summary", "Summary"],
  /** Local time in the blog's time zone, such as "2026-03-01T09:00", or "". */
  publishedAt: ["publish_at", "Publish at"],
  /** A filename, "none", or "" for the first picture. */
  previewImage: ["preview_image", "Preview picture"],
} as const;
export type TextField = keyof typeof TEXT_FIELDS;

export interface PostFields extends Record<TextField, string> {
  content: string;
  contentType: WholePost["sourceType"];
  type: WholePost["type"];
  switches: SwitchName[];
  /** Channels with a checkbox in the form. Other channels may have been turned on since. */
  offered: readonly ReachChannel[];
  /** Channels that the user selected because the default of the blog does not send the post there. */
  overrides: ReachChannel[];
  /** Filename → alt text; null without alt text, "" for a decorative file. */
  altText: Map<string, string | null>;
}

export function mapTextFields(
  read: (field: TextField, formName: string) => string,
): Record<TextField, string> {
  const fields = Object.entries(TEXT_FIELDS) as [TextField, readonly [string, string]][];
  const values = fields.map(([field, [formName]]) => [field, read(field, formName)]);
  return Object.fromEntries(values);
}

export const EMPTY_POST: PostFields = {
  ...mapTextFields(() => ""),
  content: "",
  contentType: "html",
  type: "post",
  switches: [],
  offered: REACH_CHANNELS,
  overrides: [],
  altText: new Map(),
};

export function serializeFields(fields: PostFields): string {
  return JSON.stringify({ ...fields, altText: [...fields.altText] });
}

export function parseFields({ altText, ...fields }: Record<string, unknown>): PostFields {
  return { ...EMPTY_POST, ...fields, altText: new Map(altText as [string, string | null][]) };
}

export function fieldsOf(post: WholePost): PostFields {
  const files = post.attachments.map(({ blob }) => blob.filename);
  return {
    title: post.title,
    content: post.source,
    contentType: post.sourceType,
    type: post.type,
    slug: post.slug,
    category: post.category?.name ?? "",
    tags: post.tags.join(", "),
    summary: post.summary ?? "",
    series: post.series ?? "",
    language: post.language ?? "",
    translationOf: addressOfTranslation(post),
    publishedAt: post.publishedAt ? localTime(post.publishedAt, post.blog.timeZone) : "",
    switches: SWITCH_NAMES.filter((name) =>
      isReachSwitch(name) ? isChannelSelected(post.blog, post, name) : post[name],
    ),
    offered: REACH_CHANNELS,
    overrides: [],
    previewImage: post.previewImage ?? "",
    altText: new Map(
      files.map((name) => [name, Object.hasOwn(post.altText, name) ? (post.altText[name] as string) : null]),
    ),
  };
}

/** Keeps the post's choice for channels that had no checkbox in the form. */
export function withUnofferedChannels(
  blog: Blog,
  fields: PostFields,
  post: Pick<WholePost, "reach" | "hidden" | "type"> | null,
): PostFields {
  const unoffered = REACH_CHANNELS.filter((name) => !fields.offered.includes(name));
  const selected = unoffered.filter((name) => isChannelSelected(blog, post, name));
  return { ...fields, switches: [...new Set([...fields.switches, ...selected])] };
}

function addressOfTranslation({ blogId, translationOf }: WholePost): string {
  if (!translationOf) return "";
  return translationOf.blogId === blogId ? translationOf.slug : translationOf.url;
}

/**
 * A hash of the form's values, to detect conflicting changes. Uses the translation group, because the
 * translation's URL may change. Omits newer fields if empty, so that autosaved texts still match after an
 * upgrade.
 */
export function versionOf(post: WholePost): string {
  const { altText: _, translationOf: __, overrides: ___, ...fields } = fieldsOf(post);
  const { language, title, content, ...others } = fields;
  const more = { language: language || undefined, translationGroup: post.translationGroup ?? undefined };
  const state = [post.status, post.publishedAt?.getTime(), post.altText];
  const shown = JSON.stringify([{ title, content, ...others, ...more }, ...state]);
  return new Bun.CryptoHasher("sha256").update(shown).digest("base64url");
}

export interface SentPost {
  /** null for a new post. */
  id: number | null;
  action: string;
  /** Version of the post when the form was loaded; "" for a new post. */
  version: string;
  /** Temporary key of a new post; "" for a saved post. */
  newPost: string;
  /** Ids of the autosave requests that this form has loaded or sent, newest first. */
  stamps: string[];
  /** In a conflict, ids of the autosave requests that stored the other text. */
  seen: string[];
  choices: Map<string, Choice>;
  fields: PostFields;
  /** Files uploaded without scripts. The caller must store or discard them. */
  files: ReceivedFile[];
}

export async function readSentPost(visit: Visit, id: number | null): Promise<SentPost> {
  const { request } = visit.call;
  if (/^application\/x-www-form-urlencoded\b/i.test(readHeader(request, "content-type") ?? "")) {
    const body = await readBody(request, MAX_BYTES.json);
    const fields = [...parseUrlencoded(body.toString("utf8"))];
    assertNoForgery(visit.call, fields);
    return { id, ...parseForm(fields), files: [] };
  }
  const { fields, files } = await readUploads(visit);
  return { id, ...parseForm(fields), files };
}

function parseForm(sent: FormFields): Omit<SentPost, "id" | "files"> {
  const all = (name: string) => sent.filter(([field]) => field === name).map(([, value]) => value);
  const one = (name: string) => all(name)[0];
  const decorative = new Set(all("decorative"));
  const alts = all("alt").map(oneLine);
  return {
    action: one("action") ?? "",
    version: one("version") ?? "",
    newPost: one("new_post") ?? "",
    stamps: (one("kept") ?? "").split(" ").filter(Boolean),
    seen: (one("seen") ?? "").split(" ").filter(Boolean),
    choices: parseChoices(sent),
    fields: {
      ...mapTextFields((_field, formName) => one(formName) ?? ""),
      language: one("language")?.trim() ?? "",
      translationOf: one("translation_of")?.trim() ?? "",
      // Browsers send line breaks as CRLF.
      content: withCaptions((one("content") ?? "").replaceAll("\r\n", "\n"), changedCaptions(all)),
      contentType: one("content_type") === "markdown" ? "markdown" : "html",
      type: one("type") === "page" ? "page" : "post",
      switches: all("switch").filter((name): name is SwitchName => SWITCH_NAMES.includes(name as SwitchName)),
      offered: REACH_CHANNELS.filter((name) => all("offered").includes(name)),
      overrides: REACH_CHANNELS.filter((name) => all("override").includes(name)),
      altText: new Map(
        all("alt_file").map((name, index) => [name, alts[index] || (decorative.has(name) ? "" : null)]),
      ),
    },
  };
}

/** Returns only captions that the user changed, because the content may have newer captions. */
function changedCaptions(all: (name: string) => string[]): Map<string, string> {
  const [was, now] = [all("caption_was"), all("caption").map(oneLine)];
  const sent = all("caption_of").map((sgid, index): [string, string] => [sgid, now[index] ?? ""]);
  return new Map(sent.filter(([, caption], index) => caption !== was[index]));
}

/** Fields that are saved as they are in the form. */
const PLAIN_FIELDS = ["type", "category", "summary", "series", "language"] as const;

/**
 * Returns only changed fields, to preserve values that the form can't show, such as seconds. For a new post,
 * always returns title and content.
 * @throws Refusal (invalid) for `publish_at`
 */
export function changedFields(blog: Blog, sent: PostFields, before: WholePost | null): PostChanges {
  const fields = withUnofferedChannels(blog, sent, before);
  const shown = before ? fieldsOf(before) : EMPTY_POST;
  const isChanged = (name: keyof PostFields) => !Bun.deepEquals(fields[name], shown[name]);
  const isOtherText = fields.content !== shown.content.replaceAll("\r\n", "\n");
  const isOther = isOtherText || fields.contentType !== shown.contentType || !before;
  const plain: Pick<PostChanges, (typeof PLAIN_FIELDS)[number]> = Object.fromEntries(
    PLAIN_FIELDS.filter(isChanged).map((name) => [name, fields[name]]),
  );
  const changes: PostChanges = {
    ...plain,
    title: isChanged("title") || !before ? fields.title : undefined,
    content: isOther ? (isOtherText ? fields.content : shown.content) : undefined,
    contentType: isOther ? fields.contentType : undefined,
    slug: isChanged("slug") && fields.slug.trim() ? fields.slug : undefined,
    tags: isChanged("tags") ? fields.tags.split(",") : undefined,
    publishedAt: isChanged("publishedAt") ? instantIn(blog, fields.publishedAt) : undefined,
    previewImage: isChanged("previewImage") ? fields.previewImage || null : undefined,
    altText: altTextAfter(before?.altText ?? {}, fields.altText),
  };
  for (const name of SWITCH_NAMES) {
    const isOn = fields.switches.includes(name);
    if (isReachSwitch(name)) {
      const isOverride = fields.overrides.includes(name) && before?.reach?.[name] !== true;
      const isSwitched = isOn !== isChannelSelected(blog, before, name);
      if (isSentByDefault(blog, name) !== null && (isOverride || isSwitched))
        changes.reach = { ...changes.reach, [name]: isOverride || isOn };
    } else if (isOn !== shown.switches.includes(name)) changes[name] = isOn;
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

export function changesNothing(blog: Blog, fields: PostFields, post: WholePost | null): boolean {
  if (!post) return fields.title.trim() === "" && fields.content.trim() === "";
  // These fields are compared as text, because an incomplete value cannot be parsed.
  const { publishedAt, translationOf } = fieldsOf(post);
  if (fields.publishedAt !== publishedAt || fields.translationOf !== translationOf) return false;
  return Object.keys(changedFields(blog, fields, post)).length === 0;
}

function instantIn(blog: Blog, text: string): Date | null {
  if (!text.trim()) return null;
  const instant = instantOf(text.trim(), blog.timeZone);
  if (!instant) throw invalid({ publish_at: ["must be a date and time, like 2026-03-01 09:00"] });
  return instant;
}

function altTextAfter(before: Record<string, string>, altTexts: PostFields["altText"]) {
  const after = { ...before };
  for (const [filename, alt] of altTexts) {
    if (alt === null) delete after[filename];
    else after[filename] = alt;
  }
  return Bun.deepEquals(after, before) ? undefined : after;
}
