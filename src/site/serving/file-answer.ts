import { readHeader } from "../../http/requests/headers";
import type { HttpResponse } from "../../http/responses/response";

const BLANK = new Uint8Array(1_048_576);

/** Bun handles Range for a file's body: 206 and 416. */
export function fileAnswer(
  request: Request,
  path: string,
  { size }: { size: number },
  headers: HeadersInit,
): HttpResponse {
  const sent = new Headers(headers);
  // Bun adds the header to a 206 response.
  if (readHeader(request, "range") === null) sent.set("accept-ranges", "bytes");
  if (request.method === "HEAD") return { status: 200, headers: sent, body: bodyOfLength(size) };
  return { status: 200, headers: sent, body: Bun.file(path) };
}

/** For HEAD: Elysia reads the body to count it, which must not read a whole video. */
export function bodyOfLength(length: number): ReadableStream<Uint8Array> {
  let left = length;
  return new ReadableStream({
    pull(controller) {
      if (left > 0) controller.enqueue(BLANK.subarray(0, Math.min(left, BLANK.length)));
      left -= BLANK.length;
      if (left <= 0) controller.close();
    },
  });
}
