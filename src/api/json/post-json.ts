import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import type { Blog } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { instantOf } from "../../blogs/time-zone";
import { MAX_LENGTHS } from "../../config/request-limits";
import { invalid } from "../../errors";
import { etagOf } from "../../http/responses/response";
import { mediaPath } from "../../media/files/media-urls";
import { issueOfPost, NEWSLETTER_STATES, newsletterState } from "../../newsletter/issue-scheduling";
import type { Platen } from "../../platen";
import { insertBaseUrl, urlOfValue } from "../../posts/post/mf2-properties";
import { type Content, type Post, previewImage } from "../../posts/post/post";
import { REACH_CHANNELS, type ReachChannel } from "../../posts/post/reach-channels";
import { translationOf } from "../../posts/storage/translations";
import type { PostChanges } from "../../posts/writing/post-input";
import { sentCopies } from "../../syndication/stored-copies";
import { cleanText } from "../../text/clean-text";
import { attachmentShape, presentAttachment } from "./file-json";
import { instant, nullable, oneOf } from "./shapes";

const META_FLAGS = {
  hidden: "hidden",
  hide_in_rss: "hideInRss",
  no_index_no_follow: "noIndexNoFollow",
  show_contact_form: "showContactForm",
  komments_disabled: "kommentsDisabled",
  skip_archive: "skipArchive",
} as const satisfies Record<string, keyof PostChanges>;
type FlagName = keyof typeof META_FLAGS;

const MAX_WARNINGS = 20;
const MAX_WARNED_NAME = 100;

// Uses TypeBox's own types, because Elysia's types accept "7" for 7.

const postFields = Type.Object({
  blog_id: Type.Optional(
    Type.Integer({ description: "Same as the top-level blog_id, which takes precedence" }),
  ),
  title: Type.Optional(Type.String({ description: "At most 500 characters" })),
  summary: Type.Optional(
    nullable(
      Type.String({
        description: "At most 500 characters, for lists, feeds and search engines; null for an excerpt",
      }),
    ),
  ),
  series: Type.Optional(
    nullable(Type.String({ description: "Name of the series that the post belongs to; null for none" })),
  ),
  language: Type.Optional(
    nullable(Type.String({ description: "A tag like de or pt-BR; null for the blog's language" })),
  ),
  translation_of: Type.Optional(
    nullable(
      Type.Integer({
        description: "Id of the post that this one translates; null for none",
      }),
    ),
  ),
  pinned: Type.Optional(Type.Boolean({ description: "Shown first on the home page" })),
  content: Type.Optional(
    Type.String({
      description: "HTML, or Markdown with content_type markdown; at most 1 MB (1,000,000 bytes)",
    }),
  ),
  content_type: Type.Optional(oneOf(["html", "markdown"])),
  status: Type.Optional(oneOf(["published", "draft", "archived"])),
  alt_text: Type.Optional(
    Type.Union(
      [
        Type.Record(Type.String(), Type.String()),
        Type.Array(Type.Object({ filename: Type.String(), alt: Type.String() })),
      ],
      { description: "Replaces all alt texts: {filename: alt} or [{filename, alt}]" },
    ),
  ),
  preview_image: Type.Optional(
    nullable(
      Type.String({
        description:
          "Filename or URL of an image in the post; first: the first image; none: a card with the title",
      }),
    ),
  ),
  slug: Type.Optional(Type.String()),
  type: Type.Optional(oneOf(["post", "page"])),
  published_at: Type.Optional(
    nullable(
      Type.String({
        description: "ISO 8601, without an offset in the blog's time zone; a future time schedules the post",
      }),
    ),
  ),
  category: Type.Optional(nullable(Type.String({ description: "Name; created if it does not exist" }))),
  category_id: Type.Optional(nullable(Type.Integer())),
  tags: Type.Optional(Type.Array(Type.String())),
  reach: Type.Optional(
    nullable(
      Type.Array(Type.String(), {
        description: `Channels that get the post: ${REACH_CHANNELS.join(", ")}; null for the blog's defaults`,
      }),
    ),
  ),
  meta: Type.Optional(
    Type.Object({
      ...eachFlag(() => Type.Optional(Type.Boolean())),
      is_shared: Type.Optional(Type.Boolean()),
    }),
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
  const warnings = strange.slice(0, MAX_WARNINGS).map((name) => {
    return `${cleanText(name).slice(0, MAX_WARNED_NAME)} was ignored: it is not a writable field of a post.`;
  });
  return strange.length > warnings.length
    ? [...warnings, `${strange.length - warnings.length} more fields were ignored.`]
    : warnings;
}

export function postChangesFromJson(blog: Blog, fields: PostFields, post: Post | null): PostChanges {
  const { meta = {} } = fields;
  return {
    title: fields.title,
    summary: fields.summary,
    series: fields.series,
    language: fields.language,
    translationOf: fields.translation_of,
    pinned: fields.pinned,
    content: fields.content,
    contentType: fields.content_type,
    status: fields.status,
    slug: fields.slug,
    type: fields.type,
    publishedAt: publishedAt(blog, fields.published_at),
    category: fields.category,
    categoryId: fields.category_id,
    tags: fields.tags,
    altText: fields.alt_text && altText(fields.alt_text),
    previewImage: previewImageIn(fields.preview_image, post),
    isShared: meta.is_shared,
    reach: fields.reach && chosenChannels(fields.reach),
    ...flagsIn(meta),
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

function flagsIn(meta: NonNullable<PostFields["meta"]>): PostChanges {
  const names = Object.keys(META_FLAGS) as FlagName[];
  return Object.fromEntries(names.map((name) => [META_FLAGS[name], meta[name]]));
}

export const postShape = t.Object({
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
  blog: t.Object({ id: Type.Integer(), title: t.String(), slug: t.String() }),
  category: nullable(t.Object({ id: Type.Integer(), name: t.String(), slug: t.String() })),
  tags: t.Array(t.String()),
  meta: t.Object({
    ...eachFlag(() => t.Boolean()),
    archived: t.Boolean(),
    is_shared: t.Boolean(),
    share_id: nullable(t.String()),
  }),
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
    id: post.id,
    title: post.title,
    slug: post.slug,
    summary: post.summary,
    series: post.series,
    language: post.language,
    translation_of: translationOf(platen, post)?.id ?? null,
    pinned: post.pinned,
    status: post.status,
    type: post.type,
    published_at: post.publishedAt?.toISOString() ?? null,
    created_at: post.createdAt.toISOString(),
    updated_at: post.updatedAt.toISOString(),
    url: postUrl(platen, blog, post),
    blog: { id: blog.id, title: blog.title, slug: blog.slug },
    category: category && { id: category.id, name: category.name, slug: category.slug },
    tags: post.tags,
    meta: {
      ...eachFlag((field) => post[field]),
      archived: post.status === "archived",
      is_shared: post.shareId !== null,
      share_id: post.shareId,
    },
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
export function etagOfPost(
  { contentVersion }: Post,
  { content: _, ...shown }: Static<typeof postShape>,
): string {
  return etagOf(JSON.stringify([shown, contentVersion]));
}

function eachFlag<Value>(of: (field: (typeof META_FLAGS)[FlagName]) => Value): Record<FlagName, Value> {
  const values: Partial<Record<FlagName, Value>> = {};
  for (const name of Object.keys(META_FLAGS) as FlagName[]) values[name] = of(META_FLAGS[name]);
  return values as Record<FlagName, Value>;
}
