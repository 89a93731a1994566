import { afterEach } from "bun:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
// @ts-expect-error it has no types
import S3rver from "s3rver";
import { S3Objects } from "./s3-objects";

const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

type Way = "pass" | "hang" | "refuse" | "break";

/** Somebody else's S3 server (s3rver) on this machine, with a bucket. Keys and signatures are checked by it. */
export async function s3Server() {
  const objects = new S3Objects("shelf");
  const s3 = new S3rver({ silent: true });
  s3.store = s3.context.store = objects;
  const handle: (request: IncomingMessage, response: ServerResponse) => void = s3.callback();
  let gate = (_line: string): Way | Promise<Way> => "pass";
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${decodeURIComponent(request.url ?? "").replace(/\?.*/, "")}`;
    asked.push(line);
    const way = await gate(line);
    if (way === "break" && request.method === "GET") handle(request, brokenOff(response));
    if (way === "break" && request.method !== "GET") request.socket.destroy();
    if (way === "pass") handle(request, response);
    if (way === "refuse") {
      request.resume();
      response.writeHead(503).end("<Error><Code>SlowDown</Code><Message>No.</Message></Error>");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  running.push(stop);
  return {
    place: "s3://shelf/blog",
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    },
    /** "GET /shelf/…", in order; emptied. */
    asked: () => asked.splice(0),
    /** From now on, what becomes of a request, now or later: it is answered, never answered, refused, or cut off on its way. */
    gate: (decide: typeof gate) => {
      gate = decide;
    },
    keys: objects.keys,
    read: (key: string) => Buffer.from(objects.bytes(key)),
    /** Behind the server's back. */
    write: (key: string, bytes: Uint8Array) => void objects.set(key, bytes),
    /** Nobody answers from now on. */
    stop,
  };
}

/** The connection goes when half of what is brought has gone over it. */
function brokenOff(response: ServerResponse): ServerResponse {
  const write = response.write.bind(response) as (bytes: Uint8Array, written: () => void) => boolean;
  response.write = (bytes: Uint8Array) =>
    write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  return response;
}
