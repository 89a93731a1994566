/**
 * Measures the memory of the built executable while forty connections have sent half a body and stall, and
 * after they are closed: `bun run build && bun bench/stalled.ts [dist/platen]`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { residentMemory, unreadBytes } from "./processes";

const CONNECTIONS = 40;
const MEGABYTE = 1024 * 1024;
/** Bytes: `WHOLE` is announced, `HALF` is sent. */
const WHOLE = 10 * MEGABYTE;
const HALF = WHOLE / 2;
const SETTLING = 2000; // milliseconds

const FILE =
  '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n\0\0\0\x18ftypisom\0\0\0\0isommp42';
const TEXT = '--cut\r\nContent-Disposition: form-data; name="content"\r\n\r\n';
const FORM = "application/x-www-form-urlencoded";
const PARTS = "multipart/form-data; boundary=cut";

const STALLED: [name: string, path: string, type: string, begin: string, authorization?: string][] = [
  ["a Micropub form, no key", "/micropub", FORM, "content="],
  ["Micropub JSON, no key", "/micropub", "application/json", '{"properties":{"content":["'],
  ["Micropub parts of text, no key", "/micropub", PARTS, TEXT],
  ["a Micropub file, no key", "/micropub/media", PARTS, FILE],
  ["a JSON post, no key", "/api/v1/posts", "application/json", '{"post":{"content":"'],
  ["a JSON post, a wrong key", "/api/v1/posts", "application/json", '{"post":{"content":"', "Bearer nope"],
  ["an upload, no key", "/api/v1/attachments", PARTS, FILE],
  ["a code to exchange", "/auth/token", FORM, "code="],
  ["a sign-in", "/auth/sign-in", FORM, "email="],
  ["a komment", "/komments/tea", FORM, "text="],
  ["a page", "/", FORM, "a="],
  ["a Micropub file, with a key", "/micropub/media", PARTS, FILE, "KEY"],
  [
    "an upload, with a key",
    "/api/v1/attachments",
    PARTS,
    FILE.replace('"file"', '"attachment[file]"'),
    "KEY",
  ],
  ["a JSON post, with a key", "/api/v1/posts", "application/json", '{"post":{"content":"', "KEY"],
];

const [executable = "dist/platen"] = process.argv.slice(2);
for (const stalled of STALLED) await measure(...stalled);

/** Each case has its own server, so that cases do not affect the memory of others. */
async function measure(
  name: string,
  path: string,
  type: string,
  begin: string,
  authorization?: string,
): Promise<void> {
  const data = join(mkdtempSync(join(tmpdir(), "platen-bench-")), "data");
  const setup = Bun.spawn([executable, "setup", "--email", "a@example.com", "--title", "A", "--data", data]);
  const key = (await new Response(setup.stdout).text()).trim();
  const server = Bun.spawn([executable, "serve", "--data", data, "--port", "0"], { stdout: "pipe" });
  try {
    const printed = await server.stdout.getReader().read();
    const port = Number(/:(\d+)\//.exec(new TextDecoder().decode(printed.value))?.[1]);
    await Promise.all(Array.from({ length: CONNECTIONS }, () => fetch(`http://127.0.0.1:${port}/livez`)));
    const before = memoryOf(server.pid);
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: ${type}\r\nContent-Length: ${WHOLE}\r\n${authorization ? `Authorization: ${authorization.replace("KEY", `Bearer ${key}`)}\r\n` : ""}\r\n`;
    const sockets = Array.from({ length: CONNECTIONS }, () => startStalledUpload(port, head + begin));
    await waitUntilIdle(
      sockets.map(({ socket }) => socket),
      port,
    );
    await Bun.sleep(SETTLING);
    const during = memoryOf(server.pid);
    const answered = sockets.filter(({ answer }) => answer !== "").map(({ answer }) => answer);
    for (const { socket } of sockets) socket.destroy();
    await Bun.sleep(2 * SETTLING);
    console.log(
      `${name}: ${before} MB, then + ${during - before} MB, afterwards + ${memoryOf(server.pid) - before} MB; ${answered.length} answered ${[...new Set(answered)].join(", ")}`,
    );
  } finally {
    server.kill();
    await server.exited;
    rmSync(join(data, ".."), { recursive: true });
  }
}

function startStalledUpload(port: number, begin: string): { socket: Socket; answer: string } {
  const socket = connect(port, "127.0.0.1");
  const stalled = { socket, answer: "" };
  socket.on("error", () => {});
  socket.on("data", (data) => {
    stalled.answer ||= String(data).slice("HTTP/1.1 ".length).split("\r\n")[0] ?? "";
  });
  socket.write(begin);
  const piece = Buffer.alloc(64 * 1024, "a");
  let sent = 0;
  const write = () => {
    while (sent < HALF && !socket.destroyed) {
      sent += piece.length;
      if (!socket.write(piece)) {
        socket.once("drain", write);
        return;
      }
    }
  };
  write();
  return stalled;
}

/**
 * Resolves when everything that the server accepts was sent and read. Before that, socket buffers need memory
 * too.
 */
async function waitUntilIdle(sockets: Socket[], port: number): Promise<void> {
  const readBuffers = () => [
    sockets.reduce((bytes, socket) => bytes + socket.bytesWritten - socket.writableLength, 0),
    unreadBytes(port),
  ];
  for (let before = ""; before !== String(readBuffers()); await Bun.sleep(SETTLING))
    before = String(readBuffers());
}

function memoryOf(pid: number): number {
  return Math.round(residentMemory(pid) / MEGABYTE);
}
