import type { IncomingMessage } from "node:http";
import type { Failure, HttpResponse } from "./http-client";

/** Thrown by a body that ends too early while it is read; holds the failure that `wholeBody` gives back. */
export class BrokenOff extends Error {
  constructor(readonly failure: Failure) {
    super(failure.failed);
  }
}

/** The first bytes of a body and no more, or as many as came before it broke off. Then the connection is closed. */
export async function firstBytes({ body }: HttpResponse, most: number): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      read.push(piece);
      length += piece.length;
      if (length >= most) break;
    }
  } catch (fault) {
    if (!(fault instanceof BrokenOff)) throw fault;
  }
  return Buffer.concat(read).subarray(0, most);
}

/** The whole body in memory; a failure where it is longer than `most` bytes or breaks off. */
export async function wholeBody(answer: HttpResponse, most: number): Promise<Uint8Array | Failure> {
  const read: Uint8Array[] = [];
  try {
    for await (const piece of bodyWithin(answer, most)) read.push(piece);
  } catch (fault) {
    if (fault instanceof BrokenOff) return fault.failure;
    throw fault;
  }
  return Buffer.concat(read);
}

/** The body piece by piece. @throws BrokenOff, of the kind "too large", in the place of the piece that goes beyond `most` bytes */
export async function* bodyWithin({ body }: HttpResponse, most: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > most)
      throw new BrokenOff({ failed: `the answer is longer than ${most} bytes`, kind: "too large" });
    yield piece;
  }
}

/** The body as it comes; to stop reading closes the connection. @param ended aborts at the time limit, its `reason` is the Failure */
export async function* bodyOf(response: IncomingMessage, ended: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch {
    throw new BrokenOff(
      ended.aborted ? ended.reason : { failed: "the answer broke off in the middle", kind: "broken" },
    );
  }
  // A body without Content-Length ends where the connection does: closed by us, it would look complete.
  if (ended.aborted) throw new BrokenOff(ended.reason);
}
