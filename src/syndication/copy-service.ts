import { MINUTE, SECOND } from "../config/units";
import type { Outcome } from "../deliveries/channel";
import { sendForBlog } from "../deliveries/outgoing-request";
import { retryAfterOf } from "../deliveries/retries-and-disabling";
import type { RemoteKomment } from "../komments/remote-komments";
import type { StoredBlob } from "../media/files/blobs";
import { fileBytes } from "../media/files/media-store";
import { renditionNames, THUMBNAIL } from "../media/files/rendition-sizes";
import { ensureRendition } from "../media/renditions";
import { type HttpClient, type HttpRequest, wholeBody } from "../outgoing/http-client";
import type { Platen } from "../platen";
import { oneLine } from "../text/clean-text";
import { parseFlatJson } from "../text/json";
import type { CopyContent } from "./copy-content";
import type { Copy, CopyAccount } from "./stored-copies";

export interface RemoteReply
  extends Pick<RemoteKomment, "originUri" | "originUrl" | "name" | "handle" | "url"> {
  parentUri: string;
  host: string;
  html: string;
}

/** All functions may throw CallFailed. */
export interface Service {
  /** Edits change the copy only this long after it was sent. */
  editableMs: number;
  /**
   * Creates the copy, or edits an existing copy. A repeated call must not create a second copy.
   * @param hasSamePictures whether the existing copy shows the same pictures
   */
  publish(
    sender: Sender,
    account: CopyAccount,
    copy: Copy,
    content: CopyContent,
    hasSamePictures: boolean,
  ): Promise<{ remoteId: string; url: string }>;
  /** Does nothing if there is no copy. @param postUrl "" if unknown */
  remove(sender: Sender, account: CopyAccount, copy: Copy, postUrl: string): Promise<void>;
  /** Public replies, parents first. */
  replies(sender: Sender, account: CopyAccount, copy: Copy): Promise<RemoteReply[]>;
}

const TIMEOUT_MS = 30 * SECOND;
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_FAILURE_LENGTH = 300;
const REJECTED = [400, 404, 413, 422];
export const NOT_ALLOWED = [401, 403];

export interface Sender {
  platen: Platen;
  outgoing: HttpClient;
  blogId: number;
  stop?: AbortSignal;
}

export interface ServiceRequest {
  method: HttpRequest["method"];
  url: string;
  token?: string;
  json?: unknown;
  body?: Uint8Array;
  headers?: Record<string, string>;
}

export interface ServiceAnswer {
  status: number;
  /** Parsed JSON; null if the body is not JSON. */
  body: unknown;
  /** Milliseconds. */
  retryAfter: number;
}

export class CallFailed extends Error {
  constructor(
    readonly outcome: Outcome,
    readonly isStopped = false,
  ) {
    super(outcome.failure ?? "");
  }
}

/** @throws CallFailed without a complete response */
export async function callService(sender: Sender, request: ServiceRequest): Promise<ServiceAnswer> {
  const { platen, outgoing, blogId, stop } = sender;
  const { method, url, token, headers, json } = request;
  const response = await sendForBlog(platen, outgoing, blogId, {
    ...{ method, url, stop, within: TIMEOUT_MS },
    headers: {
      accept: "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: json === undefined ? request.body : JSON.stringify(json),
  });
  if ("failed" in response) throw new CallFailed({ failure: response.failed }, response.kind === "stopped");
  const bytes = await wholeBody(response, MAX_ANSWER_BYTES);
  if ("failed" in bytes) throw new CallFailed({ failure: bytes.failed }, bytes.kind === "stopped");
  const retryAfter = retryAfterOf(response.headers["retry-after"], platen.now());
  const body = parseFlatJson(new TextDecoder().decode(bytes));
  return { status: response.statusCode, body, retryAfter };
}

export function bodyOfSuccess({ status, body, retryAfter }: ServiceAnswer): unknown {
  if (status >= 200 && status <= 299) return body;
  const words = textIn(body, "message") || textIn(body, "error");
  const failure = oneLine(`It returned ${status}${words && `: ${words}`}`).slice(0, MAX_FAILURE_LENGTH);
  if (NOT_ALLOWED.includes(status)) throw new CallFailed({ status, failure, pauseFor: SECOND });
  if (status === 429) throw new CallFailed({ status, failure, pauseFor: Math.max(retryAfter, 5 * MINUTE) });
  throw new CallFailed({ status, failure, retryAfter, ...(REJECTED.includes(status) && { end: "failed" }) });
}

export function valueIn(json: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    json,
  );
}

export function textIn(json: unknown, ...path: string[]): string {
  const value = valueIn(json, ...path);
  return typeof value === "string" ? value : "";
}

export function listIn(json: unknown, ...path: string[]): unknown[] {
  const value = valueIn(json, ...path);
  return Array.isArray(value) ? value : [];
}

const COMMON_FORMATS = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/**
 * Reads the picture, or its largest rendition that is small enough.
 * @throws CallFailed if no rendition is small enough
 */
export async function pictureBytes(platen: Platen, blob: StoredBlob, maxBytes: number) {
  if (blob.byteSize <= maxBytes && COMMON_FORMATS.includes(blob.contentType)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await fileBytes(platen, blob, blob.filename)) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), type: blob.contentType };
  }
  const [, ...sizes] = renditionNames(blob);
  for (const name of [...sizes.reverse(), THUMBNAIL]) {
    const path = await ensureRendition(platen, blob, name);
    if (path === null || Bun.file(path).size > maxBytes) continue;
    return { bytes: await Bun.file(path).bytes(), type: "image/webp" };
  }
  throw new CallFailed({ failure: `${blob.filename} cannot be made small enough now` });
}
