/** What the routes answer, for the document of the API (openapi.json); nothing is checked against it at run time. */
import { type TSchema, t } from "elysia";
import { postBody } from "./schemas";

const instant = () => t.String({ format: "date-time" });
const named = { id: t.Integer(), name: t.String(), slug: t.String() };
const titled = { id: t.Integer(), title: t.String(), slug: t.String() };

const attachment = t.Object({
  id: t.Integer(),
  blob_id: t.Integer(),
  filename: t.String(),
  content_type: t.String(),
  byte_size: t.Integer(),
  media_type: t.String({ description: "image or video" }),
  url: t.String(),
  thumbnail: t.String(),
  alt: t.String({ description: "The rendered alt text" }),
});

const post = t.Object({
  id: t.Integer(),
  title: t.String(),
  slug: t.String(),
  status: t.String({ description: "published, draft or archived" }),
  type: t.String({ description: "post or page" }),
  published_at: t.Nullable(instant()),
  created_at: instant(),
  updated_at: instant(),
  url: t.String(),
  blog: t.Object(titled),
  category: t.Nullable(t.Object(named)),
  tags: t.Array(t.String()),
  meta: t.Object({
    hidden: t.Boolean(),
    hide_in_rss: t.Boolean(),
    no_index_no_follow: t.Boolean(),
    show_contact_form: t.Boolean(),
    komments_disabled: t.Boolean(),
    archived: t.Boolean(),
    skip_archive: t.Boolean(),
    is_shared: t.Boolean(),
    share_id: t.Nullable(t.String()),
  }),
  preview_image: t.Nullable(t.String()),
  content: t.Optional(t.Object({ html: t.String(), text: t.String() })),
  attachments: t.Array(attachment),
});

const wrapped = t.Object({ post, warnings: t.Optional(t.Array(t.String())) });

const postList = t.Object({
  posts: t.Array(post),
  pagination: t.Object({ page: t.Integer(), limit: t.Integer(), total: t.Integer(), pages: t.Integer() }),
});

const upload = t.Object({
  attachment: t.Object({
    html: t.String({ description: "Put this into a post's HTML content" }),
    filename: t.String({ description: "Unique in the blog; the key of alt_text" }),
    media_type: t.String(),
    blob_id: t.Integer(),
    content_type: t.String(),
    byte_size: t.Integer(),
    width: t.Nullable(t.Integer()),
    height: t.Nullable(t.Integer()),
    caption: t.String(),
    url: t.String(),
    thumbnail: t.String(),
  }),
});

const info = t.Object({
  api: t.Object({ name: t.String(), version: t.String(), software_version: t.String() }),
  account: t.Object({ id: t.Integer(), name: t.String(), email: t.String() }),
  blogs: t.Array(t.Object({ ...titled, url: t.String(), selected: t.Boolean() })),
  key: t.Object({ name: t.String(), scopes: t.Array(t.String()) }),
});

const refusal = t.Object({
  message: t.String(),
  errors: t.Optional(t.Record(t.String(), t.Array(t.String()))),
});

const json = (schema: TSchema) => ({ "application/json": { schema } }) as never;
const refused = { description: "Refused; the message says what to change", content: json(refusal) };
const detail = (tag: string, summary: string, responses: Record<number, { description: string }>) => ({
  tags: [tag],
  summary,
  responses: { ...responses, "4XX": refused },
});

export const infoDetail = detail("Info", "The API, the account and its blogs", {
  200: { description: "What this key reaches", content: json(info) } as never,
});
export const listDetail = detail("Posts", "List posts and pages", {
  200: { description: "One page of the list", content: json(postList) } as never,
});
export const postDetail = (summary: string, status: 200 | 201 = 200) =>
  detail("Posts", summary, { [status]: { description: "The post", content: json(wrapped) } as never });
export const writeDetail = (summary: string, status: 200 | 201 = 200) => ({
  ...postDetail(summary, status),
  requestBody: { required: true, content: json(postBody) },
});
export const deleteDetail = detail("Posts", "Delete a post", { 204: { description: "It is gone" } });

const text = { type: "string" } as const;
const file = { type: "string", format: "binary" } as const;
export const uploadDetail = {
  ...detail("Attachments", "Upload an image or a video", {
    201: { description: "The upload, ready to be embedded", content: json(upload) } as never,
  }),
  requestBody: {
    required: true,
    content: {
      "multipart/form-data": {
        schema: {
          type: "object" as const,
          required: ["attachment[file]"],
          properties: {
            blog_id: { type: "integer" as const },
            "attachment[file]": { ...file, description: "JPEG, PNG, GIF, WebP, AVIF; MP4, MOV, WebM" },
            "attachment[caption]": text,
            "attachment[poster]": { ...file, description: "A picture shown before a video plays" },
          },
        },
      },
    },
  },
};
