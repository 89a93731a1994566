/**
 * Uploads a video of 250 MB over a socket, and prints the increase of the server's peak memory:
 * `bun bench/upload-memory.ts`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/database/open";
import { readMultipart } from "../src/http/requests/multipart";
import { discardUpload, receiveUpload } from "../src/media/uploads";
import { peakMemory } from "./processes";

const MEGABYTE = 1_048_576;
const VIDEO = 250 * MEGABYTE;

if (process.argv[2] === "server") await serve(process.argv[3] as string);
else await measure();

async function measure(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "platen-bench-"));
  const server = Bun.spawn([process.execPath, import.meta.path, "server", data], { stdout: "pipe" });
  try {
    const printed = await server.stdout.getReader().read();
    const port = Number(new TextDecoder().decode(printed.value));
    const before = peakOf(server.pid);
    const started = performance.now();
    const answer = await post(port);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const after = peakOf(server.pid);
    console.log(`${answer} in ${seconds} s; peak memory ${before} MB → ${after} MB: + ${after - before} MB`);
  } finally {
    server.kill();
    rmSync(data, { recursive: true });
  }
}

function peakOf(pid: number): number {
  return Math.round(peakMemory(pid) / MEGABYTE);
}

/** Writes in chunks, so that this process does not hold the whole video. */
async function post(port: number): Promise<string> {
  const head = `--cut\r\nContent-Disposition: form-data; name="file"; filename="v.mp4"\r\n\r\n`;
  const tail = "\r\n--cut--\r\n";
  const piece = new Uint8Array(MEGABYTE);
  const first = Buffer.from(piece);
  first.write("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1");

  const socket = connect(port, "127.0.0.1");
  const write = (part: Uint8Array | string) =>
    new Promise<void>((done) => (socket.write(part) ? done() : socket.once("drain", done)));
  const answer = new Promise<string>((done) =>
    socket.once("data", (data) => done(String(data).split("\r\n")[0] ?? "")),
  );
  await write(
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=cut\r\nContent-Length: ${head.length + VIDEO + tail.length}\r\n\r\n${head}`,
  );
  await write(first);
  for (let sent = piece.length; sent < VIDEO; sent += piece.length) await write(piece);
  await write(tail);
  try {
    return await answer;
  } finally {
    socket.destroy();
  }
}

async function serve(data: string): Promise<void> {
  const platen = {
    config: {
      data,
      host: "127.0.0.1",
      port: 0,
      url: "http://127.0.0.1",
      trustProxy: [],
      privateHosts: [],
      forwardedHost: true,
      webhookRetry: [],
      webhookTimeout: 0,
      newsletterDelay: 0,
      memory: 1024 * MEGABYTE,
      backup: null,
      log: "text" as const,
      metricsToken: null,
      purge: null,
      relay: null,
      relayCa: null,
      mailPerHour: 500,
    },
    db: openDatabase(data),
    now: () => new Date(),
    log: console.error,
  };
  const server = Bun.serve({
    port: 0,
    maxRequestBodySize: 2 * VIDEO,
    async fetch(request) {
      const form = await readMultipart(
        request,
        (_field, filename, stream) => receiveUpload(platen, stream, filename),
        (taken) => discardUpload(taken),
      );
      return Response.json(form.files.map(({ value }) => value.byteSize));
    },
  });
  console.log(server.port);
}
