import { Pace } from "../../next-turn";
import { MEGABYTE } from "../../units";
import { CACHING } from "./caching";
import { etagOf } from "./entity-tags";

/**
 * What a door answers. It does not depend on the headers of the request (If-None-Match, Accept-Encoding), which `send`
 * looks at: so it can be kept, and sent to other clients.
 */
export interface Answer<Body extends AnyBody = AnyBody> {
  status: number;
  /** `etag` makes 304 possible. Not to be changed once the answer is kept. */
  headers: Headers;
  body: Body;
  /** The answer in the best encoding for this Accept-Encoding; see compression. */
  formFor?(accepts: string | null): Answer;
  /** What is to be awaited before that, where it takes long: it is made beside the server. */
  ready?(accepts: string | null): Promise<unknown> | undefined;
  /** A long body for whoever asks, where it is to go in pieces: see long-answers. */
  pieces?(body: LongBody, request: Request): ReadableStream<Uint8Array>;
  /** Is told of each request that it is sent to. @throws Refusal (long header) */
  sentTo?(request: Request): void;
}

/**
 * Of a file (`Bun.file`), Bun sends the part that Range asks for. A Blob in memory is sent without being copied, a stream
 * to one client.
 */
type AnyBody = string | Bytes | Blob | ReadableStream<Uint8Array> | null;

export type Bytes = Uint8Array<ArrayBuffer>;
type LongBody = string | Bytes | Blob;

/** An answer that can be stored. */
export type TextAnswer = Answer<string>;

type HeaderFields = Record<string, string>;

/** In bytes. What is shorter is sent in one go with its length, and nobody counts it. */
const LONG = MEGABYTE;

/** Such a body goes in pieces, and counts while nobody has read it: see long-answers. */
export function isLong(body: AnyBody): body is LongBody {
  if (body === null || body instanceof ReadableStream) return false;
  return (body instanceof Blob ? body.size : body.length) > LONG;
}

export function jsonAnswer(status: number, body: unknown, headers: HeaderFields = {}): TextAnswer {
  return { status, headers: new Headers({ ...JSON_TYPE, ...headers }), body: JSON.stringify(body) };
}

/** @param body JSON that was written before */
export function writtenAnswer(body: Bytes, headers: HeaderFields = {}): Answer<Bytes> {
  return { status: 200, headers: new Headers({ ...JSON_TYPE, ...headers }), body };
}

export const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/** @param text without the end of its last line */
export function textAnswer(status: number, text: string, headers: HeaderFields = {}): TextAnswer {
  const contentType = "text/plain; charset=utf-8";
  return { status, headers: new Headers({ "content-type": contentType, ...headers }), body: `${text}\n` };
}

export function emptyAnswer(headers: HeaderFields = {}): TextAnswer {
  return { status: 204, headers: new Headers(headers), body: "" };
}

/** @param status 303 turns a POST into a GET, 308 sends the POST again */
export function redirect(
  status: 301 | 302 | 303 | 307 | 308,
  location: string,
  headers: HeaderFields,
): Answer<null> {
  return { status, headers: new Headers({ location, ...headers }), body: null };
}

/** Adds `cache-control`, and an `etag` where there is none. */
export function keptByClient<Kind extends Answer<string | Bytes>>(answer: Kind): Kind {
  if (!answer.headers.has("etag")) answer.headers.set("etag", etagOf(answer.body));
  answer.headers.set("cache-control", CACHING.byClient);
  return answer;
}

/**
 * An answer to be kept. Most are asked for once, so the first time it is sent as it is; from the second on, a copy takes
 * its place, which Bun sends without copying it each time. Nor does it copy what goes in pieces.
 */
export function sentAgain(answer: Answer<string | Bytes>, onCopied: (copy: Blob) => void): Answer {
  let sent: Answer<string | Bytes | Blob> = answer;
  let isFirst = true;
  const formFor = () => {
    const { body } = sent;
    if (!isFirst && !(body instanceof Blob) && !isLong(body)) {
      const copy = new Blob([bytesOf(body)]);
      sent = { ...sent, body: copy };
      onCopied(copy);
    }
    isFirst = false;
    return sent;
  };
  return { ...answer, body: null, formFor };
}

export function bytesOf(body: string | Bytes): Bytes {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** One after the other; long ones with others in between. */
export async function joinedInTurns(pieces: Buffer[]): Promise<Bytes> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  const pace = new Pace();
  let length = 0;
  for (const piece of pieces) {
    whole.set(piece, length);
    length += piece.length;
    await pace.after(piece.length);
  }
  return whole;
}

/** Adds those headers that the answer does not have. */
export function withHeaders<Kind extends Answer>(answer: Kind, headers: HeaderFields): Kind {
  for (const [name, value] of Object.entries(headers))
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  return answer;
}
