import type { IncomingMessage } from "node:http";
import type { Answer, Failure } from "./request-and-answer";

/** Thrown out of the middle of a body, for it can be thrown only there; holds the failure that the readers give back. */
export class BrokenOff extends Error {
  constructor(readonly failure: Failure) {
    super(failure.failed);
  }
}

/** The first bytes of a body and no more, or as many as came before it broke off. Then the connection is closed. */
export async function firstBytes({ body }: Answer, most: number): Promise<Uint8Array> {
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
export async function wholeBody(answer: Answer, most: number): Promise<Uint8Array | Failure> {
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
export async function* bodyWithin({ body }: Answer, most: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > most)
      throw new BrokenOff({ failed: `the answer is longer than ${most} bytes`, kind: "too large" });
    yield piece;
  }
}

/** A body as it comes; leaving the loop closes the connection. */
export async function* bodyOf(response: IncomingMessage, ended: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch {
    throw new BrokenOff(
      ended.aborted ? ended.reason : { failed: "the answer broke off in the middle", kind: "broken" },
    );
  }
  // A body without a length ends where the connection does: cut by us, it would pass for whole.
  if (ended.aborted) throw new BrokenOff(ended.reason);
}
