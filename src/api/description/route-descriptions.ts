/** For openapi.json only; not checked at run time. */
import { type TSchema, t } from "elysia";
import { blogShape, categoryShape, infoShape } from "../json/blog-json";
import { listedFileShape, uploadShape } from "../json/file-json";
import { paginationShape } from "../json/list-query";
import { postBody, postShape } from "../json/post-json";

const refusal = t.Object({
  message: t.String(),
  errors: t.Optional(t.Record(t.String(), t.Array(t.String()))),
});

const json = (schema: TSchema) => ({ "application/json": { schema } }) as never;
const errorDetail = { description: "Error; message says what to change", content: json(refusal) };

/** Typed as `never`, because Elysia's types expect OpenAPI 3.0 schemas. */
export const answer = (description: string, schema: TSchema) =>
  ({ description, content: json(schema) }) as never;
export const detail = (tag: string, summary: string, responses: Record<number, { description: string }>) => ({
  tags: [tag],
  summary,
  responses: { ...responses, "4XX": errorDetail, "5XX": errorDetail },
});
export const withBody = <Detail>(route: Detail, body: TSchema) => ({
  ...route,
  requestBody: { required: true, content: json(body) },
});
export const listDetail = (tag: string, summary: string, name: string, item: TSchema) =>
  detail(tag, summary, {
    200: answer("One page of the list", t.Object({ [name]: t.Array(item), pagination: paginationShape })),
  });

export const removalDetail = (tag: string, summary: string, description = "Deleted") =>
  detail(tag, summary, { 204: { description } });

const wrapped = t.Object({ post: postShape, warnings: t.Optional(t.Array(t.String())) });

export const infoDetail = detail("Info", "The API, the account and its blogs", {
  200: answer("The API, the account and the blogs of this key", infoShape),
});
export const postsDetail = listDetail("Posts", "List posts and pages", "posts", postShape);
export const postDetail = (summary: string, status: 200 | 201 = 200) =>
  detail("Posts", summary, { [status]: answer("The post", wrapped) });
export const writeDetail = (summary: string, status: 200 | 201 = 200) =>
  withBody(postDetail(summary, status), postBody);
export const deleteDetail = removalDetail("Posts", "Move a post to the trash, for 30 days");
export const blogDetail = detail("Blogs", "A blog and its settings", {
  200: answer("The blog", t.Object({ blog: blogShape })),
});
export const categoriesDetail = detail("Blogs", "List a blog's categories by name", {
  200: answer("All categories", t.Object({ categories: t.Array(categoryShape) })),
});
const filesSummary = "List uploaded files, newest first";
export const filesDetail = listDetail("Attachments", filesSummary, "attachments", listedFileShape);

const file = { type: "string", format: "binary" } as const;
const uploadBody = {
  type: "object" as const,
  required: ["attachment[file]"],
  properties: {
    blog_id: { type: "integer" as const },
    "attachment[file]": { ...file, description: "JPEG, PNG, GIF, WebP, AVIF, HEIC; MP4, MOV, WebM" },
    "attachment[caption]": { type: "string" as const },
    "attachment[poster]": { ...file, description: "Image shown before the video plays" },
  },
};
export const uploadDetail = {
  ...detail("Attachments", "Upload an image or a video", { 201: answer("The uploaded file", uploadShape) }),
  requestBody: { required: true, content: { "multipart/form-data": { schema: uploadBody } } },
};
