import { Type } from "@sinclair/typebox";
import { Elysia, type Static, t } from "elysia";
import { authorized } from "../access/authentication";
import { once, onceAtATime, repeatableWrite, storedResponse } from "../access/idempotency";
import { targetBlog } from "../access/scopes";
import type { Caller } from "../accounts/api-keys";
import { type Blog, postUrl } from "../blogs/blogs";
import { MAX_LENGTHS } from "../config/request-limits";
import { invalid, malformed } from "../errors";
import type { Call } from "../http/requests/call";
import { type Multipart, readMultipart } from "../http/requests/multipart";
import { jsonResponse, sendResponse, type TextResponse } from "../http/responses/response";
import { attachmentSnippet } from "../media/attachment-element";
import { countBlobs, recentBlobs, type StoredBlob } from "../media/files/blobs";
import { checkCaption } from "../media/files/file-formats-and-limits";
import { mediaPath, thumbnailPath } from "../media/files/media-urls";
import { makeThumbnailLater } from "../media/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../media/uploads";
import type { Platen } from "../platen";
import { postsUsing } from "../posts/media-library/listing-and-alt-texts";
import { type Attachment, altTextOf } from "../posts/post/post";
import { sendCachedRead } from "./api-responses";
import { instant, nullable, oneOf, presenterOf } from "./json-schemas";
import { answer, detail, listDetail } from "./openapi-and-docs-routes";
import { blogIdQuery, cursorText, pageQuery, pageResponse, parsePage } from "./pagination-and-filters";

export const attachmentRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/attachments",
      ({ call, caller, query }) => sendCachedRead(call, caller, () => filesResponse(platen, caller, query)),
      { query: filesQuery, detail: filesDetail },
    )
    .post(
      "/attachments",
      async ({ call, caller, query }) => sendResponse(call, await upload(call, caller, query.blog_id)),
      { parse: "none", query: blogIdQuery, detail: uploadDetail },
    );

const filesQuery = t.Object({ ...blogIdQuery.properties, ...pageQuery.properties });

function filesResponse(platen: Platen, caller: Caller, query: typeof filesQuery.static): TextResponse {
  const blog = targetBlog(platen, caller, query.blog_id, "blog_id");
  const list = [blog.id, "attachments"];
  const page = parsePage(list, query);
  const { limit, after } = page;
  const offset = after ? 0 : (page.page - 1) * limit;
  const found = recentBlobs(platen, blog.id, { limit: limit + 1, offset, before: after?.id });
  const files = found.slice(0, limit);
  const last = found.length > limit ? files.at(-1) : undefined;
  const next = cursorText(list, page.page, last ? { key: null, id: last.id } : null);
  const total = countBlobs(platen, blog.id);
  return pageResponse("attachments", presentFiles(platen, blog, files), page, total, next);
}

type Form = Multipart<ReceivedFile | null>;

/** `authorized` checks the key before this function reads the body. */
async function upload(call: Call, caller: Caller, blogId?: number): Promise<TextResponse> {
  const { platen, request } = call;
  // Ignores files in other fields.
  const receive = async (field: string, filename: string, stream: AsyncIterable<Uint8Array>) => {
    if (field === "attachment[file]") return await receiveUpload(platen, stream, filename);
    if (field === "attachment[poster]") return await receiveUpload(platen, stream, filename, "poster");
    for await (const _chunk of stream);
    return null;
  };
  const form = await readMultipart(request, receive, discardPart);
  try {
    const blog = targetBlog(platen, caller, parseBlogId(textIn(form, "blog_id")) ?? blogId, "blog_id");
    const caption = checkCaption(textIn(form, "attachment[caption]"));
    const [file, ...more] = filesIn(form, "attachment[file]");
    const [poster] = filesIn(form, "attachment[poster]");
    if (!file) throw malformed("The field attachment[file] is missing.", { file: ["is missing"] });
    if (more.length > 0)
      throw malformed("Send one attachment[file] per request.", { file: ["must be one file"] });
    const write = repeatableWrite(call, caller, [blog.id, caption, file.sha256, poster?.sha256]);
    return await onceAtATime(write, async () => {
      const stored = storedResponse(write);
      if (stored) return stored;
      let response!: TextResponse;
      const blob = await storeUpload(platen, blog, file, { caption, poster }, (uploaded) => {
        response = once(write, () => uploadResponse(platen, uploaded));
      });
      makeThumbnailLater(platen, blob);
      return response;
    });
  } finally {
    for (const { value } of form.files) await discardPart(value);
  }
}

function uploadResponse(platen: Platen, blob: StoredBlob): TextResponse {
  const attachment = presentUpload(platen, blob);
  return jsonResponse(201, { attachment }, { location: attachment.url });
}

async function discardPart(file: ReceivedFile | null): Promise<void> {
  if (file) await discardUpload(file);
}

function filesIn({ files }: Form, name: string): ReceivedFile[] {
  return files.flatMap(({ field, value }) => (field === name && value ? [value] : []));
}

function textIn({ fields }: Form, name: string): string {
  return fields.find(([field]) => field === name)?.[1] ?? "";
}

function parseBlogId(text: string): number | undefined {
  const id = text.slice(0, MAX_LENGTHS.token).trim();
  if (id === "") return undefined;
  if (!/^\d{1,15}$/.test(id)) throw invalid({ blog_id: ["must be a whole number"] });
  return Number(id);
}

const fileFields = {
  blob_id: Type.Integer({ description: "The file; the same in all posts and in GET /attachments" }),
  filename: t.String({ description: "Unique in the blog; key in alt_text" }),
  content_type: t.String(),
  byte_size: Type.Integer(),
  media_type: oneOf(["image", "video"]),
  url: t.String(),
  thumbnail: t.String(),
};

export const attachmentShape = t.Object({
  id: Type.Integer({ description: "The use of the file in this post" }),
  ...fileFields,
  alt: t.String({ description: "The rendered alt text" }),
});

const presentAttachmentFields = presenterOf(attachmentShape);

export function presentAttachment(platen: Platen, { id, blob }: Attachment, altText: Record<string, string>) {
  return presentAttachmentFields({ ...withUrls(platen, blob), id, alt: altTextOf(blob, altText) });
}

const uploadedFile = t.Object({
  html: t.String({ description: "HTML to embed the file in a post" }),
  ...fileFields,
  width: nullable(Type.Integer()),
  height: nullable(Type.Integer()),
  caption: t.String(),
});

const presentUploadFields = presenterOf(uploadedFile);

function presentUpload(platen: Platen, blob: StoredBlob): Static<typeof uploadedFile> {
  return presentUploadFields({ ...withUrls(platen, blob), html: attachmentSnippet(platen, blob) });
}

const useShape = t.Object({
  id: Type.Integer(),
  title: t.String(),
  status: oneOf(["published", "draft", "archived"]),
  type: oneOf(["post", "page"]),
  url: t.String(),
});

const listedFileShape = t.Object({
  ...uploadedFile.properties,
  created_at: instant(),
  used_by: t.Array(useShape, { description: "Posts that use the file" }),
});

const presentUse = presenterOf(useShape);

function presentFiles(platen: Platen, blog: Blog, files: StoredBlob[]) {
  const uses = postsUsing(platen, files);
  return files.map((blob) => ({
    ...presentUpload(platen, blob),
    created_at: blob.createdAt.toISOString(),
    used_by: (uses.get(blob.id) ?? [])
      .filter(({ deletedAt }) => deletedAt === null)
      .map((post) => presentUse({ ...post, url: postUrl(platen, blog, post) })),
  }));
}

function withUrls({ config }: Platen, blob: StoredBlob) {
  return {
    ...blob,
    blobId: blob.id,
    url: config.url + mediaPath(blob),
    thumbnail: config.url + thumbnailPath(blob),
  };
}

const filesSummary = "List uploaded files, newest first";
const filesDetail = listDetail("Attachments", filesSummary, "attachments", listedFileShape);

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
const uploadDetail = {
  ...detail("Attachments", "Upload an image or a video", {
    201: answer("The uploaded file", t.Object({ attachment: uploadedFile })),
  }),
  requestBody: { required: true, content: { "multipart/form-data": { schema: uploadBody } } },
};
