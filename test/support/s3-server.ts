import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
// @ts-expect-error it has no types
import S3rver from "s3rver";
import { S3Objects } from "./s3-objects";
import { afterTest } from "./temporary";

type GateDecision = "pass" | "hang" | "refuse" | "break";

/** Starts s3rver, a third-party S3 server that verifies signatures, with a bucket. */
export async function s3Server() {
  const objects = new S3Objects("shelf");
  const s3 = new S3rver({ silent: true });
  s3.store = s3.context.store = objects;
  const handle: (request: IncomingMessage, response: ServerResponse) => void = s3.callback();
  let gate = (_line: string): GateDecision | Promise<GateDecision> => "pass";
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${decodeURIComponent(request.url ?? "").replace(/\?.*/, "")}`;
    requests.push(line);
    const way = await gate(line);
    if (way === "break" && request.method === "GET") handle(request, truncateResponse(response));
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
  afterTest(stop);
  return {
    place: "s3://shelf/blog",
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    },
    /** Requests such as "GET /shelf/…" in order; reading clears them. */
    takeRequests: () => requests.splice(0),
    /** Decides for further requests: respond, never respond, reject, or cut off. */
    gate: (decide: typeof gate) => {
      gate = decide;
    },
    keys: objects.keys,
    read: (key: string) => Buffer.from(objects.bytes(key)),
    /** Changes an object without a request. */
    write: (key: string, bytes: Uint8Array) => void objects.set(key, bytes),
    /** Stops the server. */
    stop,
  };
}

/** Closes the connection after half of the body. */
function truncateResponse(response: ServerResponse): ServerResponse {
  const write = response.write.bind(response) as (bytes: Uint8Array, written: () => void) => boolean;
  response.write = (bytes: Uint8Array) =>
    write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  return response;
}
