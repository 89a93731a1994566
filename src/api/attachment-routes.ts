import { Elysia, t } from "elysia";
import { authorized } from "../access/authentication";
import { once, onceAtATime, repeatableWrite, storedResponse } from "../access/idempotency";
import { targetBlog } from "../access/scopes";
import type { Caller } from "../accounts/keys";
import { MAX_LENGTHS } from "../config/request-limits";
import { invalid, malformed } from "../errors";
import type { Call } from "../http/requests/call";
import { type Multipart, readMultipart } from "../http/requests/multipart";
import { jsonResponse, sendResponse, type TextResponse } from "../http/responses/response";
import { countBlobs, recentBlobs, type StoredBlob } from "../media/files/blobs";
import { checkCaption } from "../media/files/file-formats-and-limits";
import { makeThumbnailLater } from "../media/images/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../media/uploads";
import type { Platen } from "../platen";
import { sendCachedRead } from "./cached-reads";
import { filesDetail, uploadDetail } from "./description/route-descriptions";
import { presentFiles, presentUpload } from "./json/file-json";
import { blogIdQuery, cursorText, pageQuery, paginationOf, parsePage } from "./json/list-query";

export const attachmentRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/attachments",
      ({ call, caller, query }) => sendCachedRead(call, caller, () => filesResponse(platen, caller, query)),
      {
        query: filesQuery,
        detail: filesDetail,
      },
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
  return jsonResponse(200, {
    attachments: presentFiles(platen, blog, files),
    pagination: paginationOf(page, countBlobs(platen, blog.id), next),
  });
}

/** `authorized` checks the key before this function reads the body. */
async function upload(call: Call, caller: Caller, blogId?: number): Promise<TextResponse> {
  const { platen, request } = call;
  const form = await readMultipart<UploadPart>(
    request,
    async (field, filename, stream) => ({ field, file: await receivePart(platen, field, filename, stream) }),
    ({ file }) => discardPart(file),
  );
  const [file, poster] = ["attachment[file]", "attachment[poster]"].map((name) => uploadedFile(form, name));
  try {
    const blog = targetBlog(platen, caller, parseBlogId(form) ?? blogId, "blog_id");
    const caption = parseCaption(form);
    if (!file) throw malformed("The field attachment[file] is missing.", { file: ["is missing"] });
    if (form.files.filter(({ field }) => field === "attachment[file]").length > 1)
      throw malformed("Send one attachment[file] per request.", { file: ["must be one file"] });
    const write = repeatableWrite(call, caller, [blog.id, caption, file.sha256, poster?.sha256]);
    return await onceAtATime(write, async () => {
      const stored = storedResponse(write);
      if (stored) return stored;
      let response: TextResponse | undefined;
      const blob = await storeUpload(platen, blog, file, { caption, poster }, (uploaded) => {
        response = once(write, () => uploadResponse(platen, uploaded));
      });
      makeThumbnailLater(platen, blob);
      return response ?? uploadResponse(platen, blob);
    });
  } finally {
    for (const { value } of form.files) await discardPart(value.file);
  }
}

function uploadResponse(platen: Platen, blob: StoredBlob): TextResponse {
  const attachment = presentUpload(platen, blob);
  return jsonResponse(201, { attachment }, { location: attachment.url });
}

interface UploadPart {
  field: string;
  /** null for a file in another field, which is ignored. */
  file: ReceivedFile | null;
}

async function receivePart(
  platen: Platen,
  field: string,
  filename: string,
  stream: AsyncIterable<Uint8Array>,
) {
  if (field === "attachment[file]") return await receiveUpload(platen, stream, filename);
  if (field === "attachment[poster]") return await receiveUpload(platen, stream, filename, "poster");
  for await (const _chunk of stream);
  return null;
}

async function discardPart(file: ReceivedFile | null): Promise<void> {
  if (file) await discardUpload(file);
}

function uploadedFile(form: Multipart<UploadPart>, name: string): ReceivedFile | undefined {
  return form.files.find(({ field }) => field === name)?.value.file ?? undefined;
}

function parseBlogId(form: Multipart<UploadPart>): number | undefined {
  const id = form.fields
    .find(([name]) => name === "blog_id")?.[1]
    .slice(0, MAX_LENGTHS.token)
    .trim();
  if (!id) return undefined;
  if (!/^\d{1,15}$/.test(id)) throw invalid({ blog_id: ["must be a whole number"] });
  return Number(id);
}

function parseCaption(form: Multipart<UploadPart>): string {
  return checkCaption(form.fields.find(([name]) => name === "attachment[caption]")?.[1] ?? "");
}
