import type { Blog } from "../../../blogs/blogs";
import { fediverseSettings } from "../../../fediverse/blog-actors";
import { newsletterOf } from "../../../newsletter/newsletter-settings";
import type { WholePost } from "../../../posts/post/post";
import { goesTo, REACH_CHANNELS, type ReachChannel } from "../../../posts/post/reach-channels";
import { copiesByDefault } from "../../../syndication/stored-copies";
import { localTime } from "../../words/times";

export const SWITCHES = {
  pinned: ["readers", "Pinned", "Shown first on the home page."],
  hidden: ["readers", "Not in lists", "Anyone with the link can read it; it isn't listed."],
  hideInRss: ["readers", "Not in feeds", "On the blog, but not in its feeds."],
  skipArchive: ["readers", "Not in the archive", "On the blog, but not in its archive."],
  noIndexNoFollow: ["readers", "Not for search engines", "Adds noindex, nofollow."],
  kommentsDisabled: ["below", "No komments", "Readers can't write komments."],
  showContactForm: ["below", "Contact form", "Readers can send you private messages."],
  newsletter: ["newsletter", "Send as newsletter", "By e-mail to your subscribers, once."],
  fediverse: [
    "fediverse",
    "Send to followers",
    "If you turn this off later, followers’ servers delete the post.",
  ],
  bluesky: ["copies", "Copy to Bluesky", "A short post with a link, when this is published."],
  mastodon: ["copies", "Copy to Mastodon", "A short post with a link, when this is published."],
} as const;
export type SwitchName = keyof typeof SWITCHES;
export const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[];

export function isReachSwitch(name: string): name is ReachChannel {
  return REACH_CHANNELS.includes(name as ReachChannel);
}

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

export function isChannelSelected(
  blog: Blog,
  post: Pick<WholePost, "reach" | "hidden" | "type"> | null,
  channel: ReachChannel,
): boolean {
  const isDefault = isSentByDefault(blog, channel);
  return isDefault !== null && post?.type !== "page" && goesTo(post, channel, isDefault);
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

/** @returns null if the channel is off */
export function isSentByDefault(blog: Blog, channel: ReachChannel): boolean | null {
  if (channel === "fediverse") return fediverseSettings(blog) && true;
  if (channel !== "newsletter") return copiesByDefault(blog, channel);
  const settings = newsletterOf(blog);
  return settings && settings.sends !== "ticked";
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
