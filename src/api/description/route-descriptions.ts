/** Descriptions of the routes for openapi.json; not checked at run time. */
import { type TSchema, t } from "elysia";
import { blogShape, categoryShape, infoShape } from "../json/blog-json";
import { listedFileShape, uploadShape } from "../json/file-json";
import { paginationShape } from "../json/list-query";
import { postBody, postShape } from "../json/post-json";

const wrapped = t.Object({ post: postShape, warnings: t.Optional(t.Array(t.String())) });

const postList = t.Object({
  posts: t.Array(postShape),
  pagination: paginationShape,
});

const refusal = t.Object({
  message: t.String(),
  errors: t.Optional(t.Record(t.String(), t.Array(t.String()))),
});

export const json = (schema: TSchema) => ({ "application/json": { schema } }) as never;
const errorDetail = { description: "Error; message says what to change", content: json(refusal) };
export const detail = (tag: string, summary: string, responses: Record<number, { description: string }>) => ({
  tags: [tag],
  summary,
  responses: { ...responses, "4XX": errorDetail },
});

export const infoDetail = detail("Info", "The API, the account and its blogs", {
  200: { description: "The API, the account and the blogs of this key", content: json(infoShape) } as never,
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
export const blogDetail = detail("Blogs", "A blog and its settings", {
  200: { description: "The blog", content: json(t.Object({ blog: blogShape })) } as never,
});
export const categoriesDetail = detail("Blogs", "List a blog's categories by name", {
  200: {
    description: "All categories",
    content: json(t.Object({ categories: t.Array(categoryShape) })),
  } as never,
});
export const deleteDetail = detail("Posts", "Delete a post", { 204: { description: "Deleted" } });

const fileList = t.Object({ attachments: t.Array(listedFileShape), pagination: paginationShape });
export const filesDetail = detail("Attachments", "List uploaded files, newest first", {
  200: { description: "One page of the list", content: json(fileList) } as never,
});

const text = { type: "string" } as const;
const file = { type: "string", format: "binary" } as const;
export const uploadDetail = {
  ...detail("Attachments", "Upload an image or a video", {
    201: { description: "The uploaded file", content: json(uploadShape) } as never,
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
            "attachment[poster]": { ...file, description: "Image shown before the video plays" },
          },
        },
      },
    },
  },
};
