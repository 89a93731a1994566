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
import { makeThumbnailLater } from "../media/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../media/uploads";
import type { Platen } from "../platen";
import { sendCachedRead } from "./cached-reads";
import { filesDetail, uploadDetail } from "./description/route-descriptions";
import { presentFiles, presentUpload } from "./json/file-json";
import { blogIdQuery, cursorText, pageQuery, pageResponse, parsePage } from "./json/list-query";

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
  return pageResponse("attachments", presentFiles(platen, blog, files), page, { total, next });
}

type Form = Multipart<ReceivedFile | null>;

/** `authorized` checks the key before this function reads the body. */
async function upload(call: Call, caller: Caller, blogId?: number): Promise<TextResponse> {
  const { platen, request } = call;
  const form = await readMultipart<ReceivedFile | null>(
    request,
    (field, filename, stream) => receivePart(platen, field, filename, stream),
    discardPart,
  );
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

/** @returns null for a file in another field, which is ignored */
async function receivePart(
  platen: Platen,
  field: string,
  filename: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<ReceivedFile | null> {
  if (field === "attachment[file]") return await receiveUpload(platen, stream, filename);
  if (field === "attachment[poster]") return await receiveUpload(platen, stream, filename, "poster");
  for await (const _chunk of stream);
  return null;
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
