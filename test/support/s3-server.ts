import { afterEach } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error it has no types
import S3rver from "s3rver";

const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

type Way = "pass" | "hang" | "refuse";

/** How s3rver names what an object holds. */
const OBJECT = "._S3rver_object";

/** Somebody else's S3 server (s3rver) on this machine, with a bucket. Keys and signatures are checked by it. */
export async function s3Server() {
  const directory = mkdtempSync(join(tmpdir(), "platen-s3-"));
  const options = { directory, silent: true, configureBuckets: [{ name: "shelf" }] };
  const s3 = new S3rver(options);
  await s3.configureBuckets();
  const handle: (request: IncomingMessage, response: ServerResponse) => void = s3.callback();
  let gate = (_line: string): Way | Promise<Way> => "pass";
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${decodeURIComponent(request.url ?? "").replace(/\?.*/, "")}`;
    asked.push(line);
    const way = await gate(line);
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
  running.push(() => {
    stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const pathOf = (key: string) => join(directory, "shelf", `${key}${OBJECT}`);
  return {
    place: "s3://shelf/blog",
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    },
    /** "GET /shelf/…", in order; emptied. */
    asked: () => asked.splice(0),
    /** From now on, what becomes of a request, now or later: it is answered, never answered, or refused. */
    gate: (decide: typeof gate) => {
      gate = decide;
    },
    keys: () =>
      (readdirSync(join(directory, "shelf"), { recursive: true }) as string[])
        .filter((name) => name.endsWith(OBJECT))
        .map((name) => name.slice(0, -OBJECT.length))
        .sort(),
    read: (key: string) => readFileSync(pathOf(key)),
    /** Behind the server's back. */
    write: (key: string, bytes: Uint8Array) => writeFileSync(pathOf(key), bytes),
    /** Nobody answers from now on. */
    stop,
  };
}
