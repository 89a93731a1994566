import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

export interface HttpRequest {
  /** Default: GET. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Milliseconds from the DNS lookup to the end of the body, including redirects. */
  readonly within: number;
  /** PLATEN_PRIVATE_HOSTS applies only if this is true. */
  readonly isForAdmin: boolean;
  /** Number of redirects that a GET follows; default: 0. A further redirect is returned as the response. */
  readonly redirects?: number;
  readonly stop?: AbortSignal;
}

/** The connection stays open until the body is read, `close` is called or the time limit passes. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Not decoded, and readable once. Throws IncompleteResponse if the connection ends early. */
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

export interface Failure {
  readonly failed: string;
  readonly kind: FailureKind;
}

type FailureKind =
  | "refused" // the URL is invalid, or the address guard blocked the address
  | "unreachable" // no such host, no connection
  | "untrusted" // the certificate is expired, for another name, or from an unknown authority
  | "broken" // the connection broke, or the response is malformed or incomplete
  | "too large"
  | "timed out"
  | "stopped";

export interface HttpClient {
  /** Network errors are returned, not thrown. */
  send(request: HttpRequest): Promise<HttpResponse | Failure>;
}

export class IncompleteResponse extends Error {
  constructor(readonly failure: Failure) {
    super(failure.failed);
  }
}

/** A large body in pieces of one byte would take much time and memory. */
const MAX_PIECES = 20_000;

/** Returns fewer bytes if the connection fails. Closes the connection. */
export async function firstBytes({ body }: HttpResponse, most: number): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      read.push(piece);
      length += piece.length;
      if (length >= most || read.length === MAX_PIECES) break;
    }
  } catch (error) {
    if (!(error instanceof IncompleteResponse)) throw error;
  }
  return Buffer.concat(read).subarray(0, most);
}

/** @returns a Failure if the body is incomplete, longer than `maxBytes` or in too many pieces */
export async function wholeBody(response: HttpResponse, maxBytes: number): Promise<Uint8Array | Failure> {
  const read: Uint8Array[] = [];
  try {
    for await (const piece of bodyWithin(response, maxBytes))
      if (read.push(piece) > MAX_PIECES)
        return { failed: "the response has too many chunks", kind: "too large" };
  } catch (error) {
    if (error instanceof IncompleteResponse) return error.failure;
    throw error;
  }
  return Buffer.concat(read);
}

export async function* bodyWithin({ body }: HttpResponse, most: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > most)
      throw new IncompleteResponse({
        failed: `the response is longer than ${most} bytes`,
        kind: "too large",
      });
    yield piece;
  }
}

/** Ending the loop closes the connection. @param ended aborts at the time limit; `reason` is the Failure */
export async function* bodyOf(response: IncomingMessage, ended: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch {
    throw new IncompleteResponse(
      ended.aborted ? ended.reason : { failed: "the response was cut off", kind: "broken" },
    );
  }
  // Without Content-Length, a body ends with the connection. A timeout closes the connection too, so the body
  // would look complete.
  if (ended.aborted) throw new IncompleteResponse(ended.reason);
}
