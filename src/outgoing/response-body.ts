import type { IncomingMessage } from "node:http";
import type { Failure, HttpResponse } from "./http-client";

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
