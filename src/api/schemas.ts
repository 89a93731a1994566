import { type TSchema, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { LISTED_STATUSES, SORTS } from "../posts/reading/listing";

const oneOf = <Name extends string>(names: readonly Name[]) => t.Union(names.map((name) => t.Literal(name)));
const directed = SORTS.flatMap((sort) => [sort, `-${sort}`] as const);

export const blogIdQuery = t.Object({ blog_id: t.Optional(t.Integer({ description: "The target blog" })) });

export const listQuery = t.Object({
  ...blogIdQuery.properties,
  status: t.Optional(oneOf(LISTED_STATUSES)),
  type: t.Optional(oneOf(["posts", "pages"])),
  category: t.Optional(t.String({ description: "Only this category, by name" })),
  category_id: t.Optional(t.Integer({ description: "Only this category, by id" })),
  exclude_category: t.Optional(t.String({ description: "Exclude this category, by name" })),
  exclude_category_id: t.Optional(t.Integer({ description: "Exclude this category, by id" })),
  uncategorized: t.Optional(t.BooleanString({ description: "Only posts with no category" })),
  search: t.Optional(t.String({ description: "Words to look for in title and content" })),
  from_date: t.Optional(
    t.String({ description: "YYYY-MM-DD in the blog's time zone, or ISO 8601 with offset" }),
  ),
  to_date: t.Optional(t.String({ description: "Like from_date; the day itself is included" })),
  page: t.Optional(t.Integer({ description: "From 1" })),
  limit: t.Optional(t.Integer({ description: "20 without it; above 100 it counts as 100" })),
  sort: t.Optional(oneOf(directed)),
  include_content: t.Optional(t.BooleanString({ description: "Items carry content.html and content.text" })),
});
export type ListQuery = typeof listQuery.static;

// Bodies are checked with TypeBox's own types: Elysia's take "7" for 7.

const oneOfThese = <Name extends string>(names: readonly Name[]) =>
  Type.Union(names.map((name) => Type.Literal(name)));
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const flag = () => Type.Optional(Type.Boolean());

const postFields = Type.Object({
  title: Type.Optional(Type.String({ description: "At most 500 characters" })),
  content: Type.Optional(
    Type.String({ description: "HTML, or Markdown when content_type says so; at most 5 MB" }),
  ),
  content_type: Type.Optional(oneOfThese(["html", "markdown"])),
  status: Type.Optional(oneOfThese(["published", "draft", "archived"])),
  alt_text: Type.Optional(
    Type.Union(
      [
        Type.Record(Type.String(), Type.String()),
        Type.Array(Type.Object({ filename: Type.String(), alt: Type.String() })),
      ],
      {
        description: "Replaces all there was: {filename: alt} or [{filename, alt}]",
      },
    ),
  ),
  slug: Type.Optional(Type.String()),
  type: Type.Optional(oneOfThese(["post", "page"])),
  published_at: Type.Optional(nullable(Type.String({ description: "ISO 8601; a time ahead schedules" }))),
  category: Type.Optional(nullable(Type.String({ description: "A name; made when new" }))),
  category_id: Type.Optional(nullable(Type.Integer())),
  tags: Type.Optional(Type.Array(Type.String())),
  meta: Type.Optional(
    Type.Object({
      hidden: flag(),
      hide_in_rss: flag(),
      no_index_no_follow: flag(),
      show_contact_form: flag(),
      komments_disabled: flag(),
      skip_archive: flag(),
      is_shared: flag(),
    }),
  ),
});
export type PostFields = typeof postFields.static;

export const postBody = Type.Object({ blog_id: Type.Optional(Type.Integer()), post: postFields });
export type PostBody = typeof postBody.static;
