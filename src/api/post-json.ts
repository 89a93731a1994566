import { type TSchema, Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { type Blog, postUrl } from "../blogs/blogs";
import { instantOf } from "../blogs/time-zone";
import { MAX_LENGTHS } from "../config/request-limits";
import { invalid } from "../errors";
import { etagOf } from "../http/responses/response";
import { mediaPath } from "../media/files/media-urls";
import { issueOfPost, NEWSLETTER_STATES, newsletterState } from "../newsletter/issue-scheduling-and-log";
import type { Platen } from "../platen";
import { insertBaseUrl, urlOfValue } from "../posts/post/mf2-properties";
import { type Content, type Post, previewImage } from "../posts/post/post";
import { REACH_CHANNELS, type ReachChannel } from "../posts/post/reach-channels";
import { translationOf } from "../posts/storage/translations";
import type { PostChanges } from "../posts/writing/post-input";
import { sentCopies } from "../syndication/stored-copies";
import { cleanText } from "../text/clean-text";
import { attachmentShape, presentAttachment } from "./attachment-routes";
import { instant, integer, nullable, oneOf, presenterOf, propertiesOf, text } from "./json-schemas";

const FLAGS = [
  "hidden",
  "hide_in_rss",
  "no_index_no_follow",
  "show_contact_form",
  "komments_disabled",
  "skip_archive",
] as const;

const flagFields = <Schema extends TSchema>(schema: Schema) =>
  Object.fromEntries(FLAGS.map((name) => [name, schema])) as Record<(typeof FLAGS)[number], Schema>;

const MAX_WARNINGS = 20;
const MAX_WARNED_NAME = 100;

const optional = Type.Optional;
const optionalOrNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema));

// Uses TypeBox's own types, because Elysia's types accept "7" for 7.
const postFields = Type.Object({
  blog_id: optional(integer("Same as the top-level blog_id, which takes precedence")),
  title: optional(text("At most 500 characters")),
  summary: optionalOrNull(
    text("At most 500 characters, for lists, feeds and search engines; null for an excerpt"),
  ),
  series: optionalOrNull(text("Name of the series that the post belongs to; null for none")),
  language: optionalOrNull(text("A tag like de or pt-BR; null for the blog's language")),
  translation_of: optionalOrNull(integer("Id of the post that this one translates; null for none")),
  pinned: optional(Type.Boolean({ description: "Shown first on the home page" })),
  content: optional(text("HTML, or Markdown with content_type markdown; at most 1 MB (1,000,000 bytes)")),
  content_type: optional(oneOf(["html", "markdown"])),
  status: optional(oneOf(["published", "draft", "archived"])),
  alt_text: optional(
    Type.Union([Type.Record(text(), text()), Type.Array(Type.Object({ filename: text(), alt: text() }))], {
      description: "Replaces all alt texts: {filename: alt} or [{filename, alt}]",
    }),
  ),
  preview_image: optionalOrNull(
    text("Filename or URL of an image in the post; first: the first image; none: a card with the title"),
  ),
  slug: optional(text()),
  type: optional(oneOf(["post", "page"])),
  published_at: optionalOrNull(
    text("ISO 8601, without an offset in the blog's time zone; a future time schedules the post"),
  ),
  category: optionalOrNull(text("Name; created if it does not exist")),
  category_id: optionalOrNull(integer()),
  tags: optional(Type.Array(text())),
  reach: optionalOrNull(
    Type.Array(text(), {
      description: `Channels that get the post: ${REACH_CHANNELS.join(", ")}; null for the blog's defaults`,
    }),
  ),
  meta: optional(
    Type.Object({ ...flagFields(optional(Type.Boolean())), is_shared: optional(Type.Boolean()) }),
  ),
});
type PostFields = typeof postFields.static;

export const postBody = Type.Object({ blog_id: Type.Optional(Type.Integer()), post: postFields });

/** Read-only fields get no warning, because clients send back what they received. */
export function unknownFields(body: object, fields: PostFields): string[] {
  const { meta } = postFields.properties;
  const levels: [prefix: string, sent: object, ...known: object[]][] = [
    ["", body, postBody.properties],
    ["", fields, postFields.properties, postShape.properties],
    ["meta.", fields.meta ?? {}, meta.properties, postShape.properties.meta.properties],
  ];
  const strange = levels.flatMap(([prefix, sent, ...known]) =>
    Object.keys(sent)
      .filter((name) => !known.some((properties) => Object.hasOwn(properties, name)))
      .map((name) => prefix + name),
  );
  const warnings = strange
    .splice(0, MAX_WARNINGS)
    .map(
      (name) =>
        `${cleanText(name).slice(0, MAX_WARNED_NAME)} was ignored: it is not a writable field of a post.`,
    );
  return strange.length > 0 ? [...warnings, `${strange.length} more fields were ignored.`] : warnings;
}

export function postChangesFromJson(
  blog: Blog,
  { blog_id: _, meta: { is_shared: isShared, ...flags } = {}, ...fields }: PostFields,
  post: Post | null,
): PostChanges {
  return {
    ...propertiesOf(fields, postFields),
    ...propertiesOf(flags, postFields.properties.meta),
    isShared,
    publishedAt: publishedAt(blog, fields.published_at),
    altText: fields.alt_text && altText(fields.alt_text),
    previewImage: previewImageIn(fields.preview_image, post),
    reach: fields.reach && chosenChannels(fields.reach),
  };
}

function chosenChannels(chosen: readonly string[]): PostChanges["reach"] {
  if (chosen.some((channel) => !REACH_CHANNELS.includes(channel as ReachChannel)))
    throw invalid({ reach: [`must contain only ${REACH_CHANNELS.join(", ")}`] });
  return Object.fromEntries(REACH_CHANNELS.map((channel) => [channel, chosen.includes(channel)]));
}

function publishedAt(blog: Blog, text: string | null | undefined): Date | null | undefined {
  if (text === undefined || text === null) return text;
  const instant = text.length <= MAX_LENGTHS.time ? instantOf(text.trim(), blog.timeZone) : null;
  if (!instant) throw invalid({ published_at: ["must be an ISO 8601 time like 2026-03-01T09:00:00Z"] });
  return instant;
}

function altText(entries: NonNullable<PostFields["alt_text"]>): Record<string, string> {
  if (!Array.isArray(entries)) return entries;
  return Object.fromEntries(entries.map(({ filename, alt }) => [filename, alt]));
}

/** Sending back the `preview_image` of a response must change nothing. */
function previewImageIn(text: PostFields["preview_image"], post: Post | null): PostChanges["previewImage"] {
  if (text === undefined || text === "first") return text && null;
  const shown = post && previewImage(post);
  if (text === null) return post && !shown ? undefined : null;
  const filename = text.slice(text.lastIndexOf("/") + 1);
  return text.includes("/") && filename === shown?.filename ? undefined : filename;
}

const summaryShape = t.Object({
  id: Type.Integer(),
  title: t.String(),
  slug: t.String(),
  summary: nullable(t.String()),
  series: nullable(t.String()),
  language: nullable(t.String()),
  translation_of: nullable(Type.Integer({ description: "The oldest other translation of this post" })),
  pinned: t.Boolean(),
  status: oneOf(["published", "draft", "archived"]),
  type: oneOf(["post", "page"]),
  published_at: nullable(instant()),
  created_at: instant(),
  updated_at: instant(),
  url: t.String(),
});

const metaShape = t.Object({
  ...flagFields(t.Boolean()),
  archived: t.Boolean(),
  is_shared: t.Boolean(),
  share_id: nullable(t.String()),
});

export const postShape = t.Object({
  ...summaryShape.properties,
  blog: t.Object({ id: Type.Integer(), title: t.String(), slug: t.String() }),
  category: nullable(t.Object({ id: Type.Integer(), name: t.String(), slug: t.String() })),
  tags: t.Array(t.String()),
  meta: metaShape,
  preview_image: nullable(t.String()),
  newsletter: oneOf(NEWSLETTER_STATES),
  syndication: t.Array(t.String({ description: "URL of a copy on another service" })),
  content: t.Optional(
    t.Object({
      html: t.String(),
      text: t.String(),
      source: t.Optional(t.String({ description: "The text that was sent" })),
      source_type: t.Optional(oneOf(["html", "markdown"])),
    }),
  ),
  attachments: t.Array(attachmentShape),
});

const presentSummary = presenterOf(summaryShape);
const presentMeta = presenterOf(metaShape);

/**
 * @param content undefined leaves the content out
 * @param options.isNew if true, skips the queries for newsletter issue and copies, which a new post does not
 * have
 */
export function presentPost(
  platen: Platen,
  post: Post,
  content?: Content,
  { withSource = false, isNew = false } = {},
): Static<typeof postShape> {
  const { blog, category } = post;
  const preview = previewImage(post);
  return {
    ...presentSummary({
      ...post,
      translationOf: translationOf(platen, post)?.id ?? null,
      url: postUrl(platen, blog, post),
    }),
    blog: { id: blog.id, title: blog.title, slug: blog.slug },
    category: category && { id: category.id, name: category.name, slug: category.slug },
    tags: post.tags,
    meta: presentMeta({ ...post, archived: post.status === "archived", isShared: post.shareId !== null }),
    newsletter: isNew ? "none" : newsletterState(issueOfPost(platen, post.id)),
    syndication: syndicationOf(post, isNew ? [] : sentCopies(platen, post.id)),
    preview_image: preview ? platen.config.url + mediaPath(preview) : null,
    attachments: post.attachments.map((attachment) => presentAttachment(platen, attachment, post.altText)),
    ...(content && {
      content: {
        html: insertBaseUrl(content.html, platen.config.url),
        text: content.text,
        ...(withSource && { source: content.source, source_type: content.sourceType }),
      },
    }),
  };
}

function syndicationOf({ properties }: Post, copies: { url: string }[]): string[] {
  const named = (properties.syndication ?? []).map(urlOfValue).filter((url) => url !== null);
  return [...new Set([...named, ...copies.map(({ url }) => url)])];
}

/** The same with and without `content`. @param shown from `presentPost` */
export function etagOfPost({ contentVersion }: Post, { content: _, ...shown }: Static<typeof postShape>) {
  return etagOf(JSON.stringify([shown, contentVersion]));
}
