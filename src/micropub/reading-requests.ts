import { authenticateCall, bearerToken, callerOf } from "../access/authentication";
import { requireScope, targetBlog } from "../access/scopes";
import type { Caller } from "../accounts/api-keys";
import { type Blog, blogUrl, isSamePage, listBlogs } from "../blogs/blogs";
import { MAX_BYTES, MAX_LENGTHS } from "../config/request-limits";
import { assertRules, invalid, requireFound, tooLong, unauthorized } from "../errors";
import type { Call } from "../http/requests/call";
import { readHeader } from "../http/requests/headers";
import { readMultipart } from "../http/requests/multipart";
import { parseForm, parseJsonBody, readBody } from "../http/requests/request-body";
import { OAuthRefusal } from "../http/responses/error-responses";
import { discardUpload, type ReceivedFile, receiveUpload } from "../media/uploads";
import type { Commands, FormField, ParsedBody } from "./parsing-actions";

/** Hosts of apps that may send their key twice, which section 2 of RFC 6750 forbids. */
const MAY_SEND_KEY_TWICE = ["quill.p3k.io"];

export interface MicropubRequest {
  caller: Caller;
  sent: ParsedBody;
  /** Complete on disk; the caller must store or discard the files. */
  files: ReceivedFile[];
}

/**
 * The key is in the header or in the form's `access_token` (W3C Micropub 3.1).
 * @throws Refusal, after deleting the received files
 */
export async function readRequest(call: Call): Promise<MicropubRequest> {
  const { request, url } = call;
  const key = bearerToken(request);
  const caller = key === null ? null : authenticateCall(call, key);
  const contentType = readHeader(request, "content-type") ?? "";
  if (/^multipart\//i.test(contentType)) return await readParts(call, caller);
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(contentType);
  if (isJson && !caller) callerOf(call);
  // The last field of the beginning may be incomplete.
  const authorize = (beginning: string) =>
    void fromForm(call, [...parseForm(beginning.slice(0, beginning.lastIndexOf("&")))], []);
  const body = await readBody(request, MAX_BYTES.json, caller ? undefined : authorize);
  const begins = body.toString("utf8", 0, MAX_LENGTHS.fieldName).trimStart();
  if (isJson || begins.startsWith("{"))
    return { caller: caller ?? callerOf(call), sent: { json: parseJsonBody(body) }, files: [] };
  const isEmpty = body.length <= MAX_LENGTHS.fieldName && begins === "";
  return fromForm(call, [...(isEmpty ? url.searchParams : parseForm(body.toString("utf8")))], []);
}

async function readParts(call: Call, known: Caller | null): Promise<MicropubRequest> {
  const { platen, request } = call;
  const { fields, files } = await readMultipart<ReceivedFile>(
    request,
    async (_field, filename, stream, _type, before) => {
      const caller = known ?? fromForm(call, before, []).caller;
      requireScope(caller, "sending or fetching a photo or video");
      return await receiveUpload(platen, stream, filename);
    },
    discardUpload,
    known ? null : (fields) => fromForm(call, fields, []),
  );
  const uploads = files.map(({ value }) => value);
  try {
    return fromForm(call, fields, uploads);
  } catch (error) {
    for (const file of uploads) await discardUpload(file);
    throw error;
  }
}

function fromForm(call: Call, fields: FormField[], files: ReceivedFile[]): MicropubRequest {
  const inHeader = bearerToken(call.request);
  const inBody = fields.find(([name]) => name === "access_token")?.[1];
  const key = inHeader ?? inBody;
  if (key === undefined)
    throw unauthorized(
      'The API key is missing. Send the header "Authorization: Bearer <API key>", or access_token as the first form field.',
    );
  if (inHeader === null) keysInForms.set(call, key);
  const caller = authenticateCall(call, key);
  const app = URL.parse(caller.key.clientId ?? "")?.hostname ?? "";
  const maySendTwice = inHeader === inBody && MAY_SEND_KEY_TWICE.includes(app);
  if (inHeader !== null && inBody !== undefined && !maySendTwice)
    // Test 805 of micropub.rocks expects this code.
    throw new OAuthRefusal(
      "bad request",
      "malformed",
      "The API key was sent in the header and in the form. Send it in one of them only.",
    );
  return { caller, sent: { form: fields.filter(([name]) => name !== "access_token") }, files };
}

const keysInForms = new WeakMap<Call, string>();

/** The request's API key, possibly invalid; null if none was read from the header or form. */
export function submittedKey(call: Call): string | null {
  return bearerToken(call.request) ?? keysInForms.get(call) ?? null;
}

/** mp-destination (a URL) precedes blog_id; the body precedes the query and the header X-Blog-ID. */
export function namedBlog(call: Call, caller: Caller, commands: Commands = {}): Blog | undefined {
  const { platen, request, url } = call;
  const namedValue = (name: string) =>
    textIn(name, commands[name]?.[0]) || textIn(name, url.searchParams.get(name) ?? "");
  const destination = namedValue("mp-destination");
  if (destination) {
    const named = listBlogs(platen).find((blog) => isSamePage(destination, blogUrl(platen, blog)));
    const missing = `blog: ${destination.slice(0, 200)}. See destination in q=config`;
    return targetBlog(platen, caller, requireFound(named, missing).id);
  }
  const id = namedValue("blog_id") || readHeader(request, "x-blog-id")?.trim();
  if (!id) return undefined;
  if (!/^\d{1,15}$/.test(id)) throw invalid({ blog_id: ["must be a whole number"] });
  return targetBlog(platen, caller, Number(id));
}

export function targetBlogOf(call: Call, caller: Caller, commands?: Commands): Blog {
  return namedBlog(call, caller, commands) ?? targetBlog(call.platen, caller);
}

function textIn(name: string, value: unknown = ""): string {
  if (typeof value !== "string" && typeof value !== "number")
    throw invalid({ [name]: ["must be a string or a number"] });
  const text = String(value);
  assertRules({ [name]: tooLong(text, MAX_LENGTHS.webAddress) });
  return text;
}
