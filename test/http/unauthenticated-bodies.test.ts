import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { MAX_BYTES } from "../../src/config/request-limits";
import { yieldToEventLoop } from "../../src/runtime/yielding";
import { picture } from "../support/pictures";
import { startPlaten, type TestPlaten } from "../support/platen";
import { until } from "../support/waiting";

const CHUNK = 8 * 1024;
const FORM = "application/x-www-form-urlencoded";
const PARTS = "multipart/form-data; boundary=cut";
const JSON_BODY = "application/json";

/** A body of two megabytes, and how much of it was read. */
function longBody(beginning: string, filling: string) {
  let isBegun = false;
  const body = { read: 0, stream: null as unknown as ReadableStream };
  // Produces nothing before it is read.
  const strategy = { highWaterMark: 0 };
  body.stream = new ReadableStream(
    {
      pull(controller) {
        const chunk = isBegun ? Buffer.alloc(CHUNK, filling) : Buffer.from(beginning);
        isBegun = true;
        body.read += chunk.length;
        if (body.read > 2_000_000) controller.close();
        else controller.enqueue(chunk);
      },
    },
    strategy,
  );
  return body;
}

const file =
  'Content-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n\0\0\0\x18ftypisom\0\0\0\0isommp42';
const text = 'Content-Disposition: form-data; name="content"\r\n\r\n';

async function readBeforeResponse(
  at: TestPlaten,
  path: string,
  type: string,
  beginning: string,
  headers: Record<string, string> = {},
) {
  const body = longBody(beginning, "a");
  const answer = await at.fetch(path, {
    method: "POST",
    body: body.stream,
    headers: { "content-type": type, ...headers },
  });
  return { status: answer.status, read: body.read };
}

/** The limit and the chunk that exceeds it. */
const MAX_READ_BYTES = MAX_BYTES.beforeKey + 2 * CHUNK;

describe("without a key, at most 64 KB of a body are read", () => {
  test.each([
    ["/micropub", FORM, "h=entry&content="],
    ["/micropub", FORM, "h=entry&access_token=nope&content="],
    ["/micropub", "text/plain", '{"properties":{"content":["'],
    ["/micropub", JSON_BODY, '{"properties":{"content":["'],
    ["/micropub", PARTS, `--cut\r\n${text}`],
    ["/micropub", PARTS, `--cut\r\n${file}`],
    ["/micropub", PARTS, ""],
    ["/micropub/media", PARTS, `--cut\r\n${file}`],
    ["/micropub/media", FORM, "action=delete&url="],
    ["/api/v1/posts", JSON_BODY, '{"post":{"content":"'],
    ["/api/v1/attachments", PARTS, `--cut\r\n${file}`],
    ["/auth/introspect", FORM, "token="],
  ])("at %s as %s that begins %j", async (path, type, beginning) => {
    const at = startPlaten();
    const anonymous = await readBeforeResponse(at, path, type, beginning);
    expect(anonymous.status).toBe(401);
    expect(anonymous.read).toBeLessThan(MAX_READ_BYTES);
    const wrong = await readBeforeResponse(at, path, type, beginning, { authorization: "Bearer nope" });
    expect([wrong.status, wrong.read]).toEqual([401, 0]);
    expect(incoming(at)).toEqual([]);
  });

  test.each([
    "/hello",
    "/",
    "/feed.xml",
    "/livez",
    "/media/x",
    "/api/v1/info",
    "/api/docs",
    "/share/x",
    "/auth",
  ])("at %s, which accepts no body, of any type", async (path) => {
    const at = startPlaten();
    for (const type of [FORM, PARTS, JSON_BODY, "text/plain", "application/octet-stream"]) {
      const { status, read } = await readBeforeResponse(at, path, type, "a=");
      expect([type, status >= 400 && status < 500]).toEqual([type, true]);
      expect(read).toBeLessThan(MAX_READ_BYTES);
    }
  });

  test("at /admin, which redirects to sign in", async () => {
    const at = startPlaten();
    for (const type of [FORM, PARTS, JSON_BODY]) {
      const { status, read } = await readBeforeResponse(at, "/admin/blogs/home/posts/new", type, "a=");
      expect([type, status]).toEqual([type, 303]);
      expect(read).toBeLessThan(MAX_READ_BYTES);
    }
  });
});

describe("slow bodies of many strangers", () => {
  const endless = () => new ReadableStream({ pull: () => new Promise(() => {}) });

  test.each([
    ["/auth/sign-in", FORM, 64_000],
    ["/micropub", FORM, 64_000],
    ["/micropub", PARTS, 1_000_000],
    ["/auth/sign-in", FORM, 1],
  ])("at %s as %s do not fill the memory: the oldest are rejected", async (path, type, length) => {
    const at = startPlaten();
    const rejected: number[] = [];
    const open = 2 * Math.ceil(MAX_BYTES.strangersBodies / Math.min(length + 8192, MAX_BYTES.beforeKey));
    for (let one = 0; one < open; one++) {
      const headers = { "content-type": type, "content-length": String(length) };
      const request = at.fetch(path, { method: "POST", body: endless(), headers });
      void request.then(({ status }) => rejected.push(status));
    }
    await until(
      () => rejected.length > open / 4,
      "rejected bodies",
      () => rejected.length,
    );
    expect(new Set(rejected)).toEqual(new Set([503]));
    expect(rejected.length).toBeLessThan(open);
    const body = new URLSearchParams({ email: "a@example.com", password: "a long password" });
    const headers = { origin: "http://blog.test", "content-length": String(`${body}`.length) };
    expect((await at.fetch("/auth/sign-in", { method: "POST", body, headers })).status).toBe(422);
  });

  test("may not be sent in chunks, which cost more than their bytes", async () => {
    const at = startPlaten();
    const headers = { "content-type": FORM, "transfer-encoding": "chunked" };
    const send = (path: string) => at.fetch(path, { method: "POST", body: "email=a", headers });
    expect((await send("/auth/sign-in")).status).toBe(400);
    expect((await send("/micropub")).status).toBe(400);
  });
});

describe("a key in the body", () => {
  const long = "a".repeat(MAX_BYTES.beforeKey);

  test("of a form must be within the first 64 KB", async () => {
    const at = startPlaten();
    const send = (body: string) =>
      at.fetch("/micropub", { method: "POST", body, headers: { "content-type": FORM } });
    expect((await send(`access_token=${at.key}&content=${long}`)).status).toBe(201);
    expect((await send(`content=${long}&access_token=${at.key}`)).status).toBe(401);
    const just = MAX_BYTES.beforeKey - `content=&access_token=${at.key}&`.length;
    expect((await send(`content=${"a".repeat(just)}&access_token=${at.key}&name=${long}`)).status).toBe(422);
    expect((await send(`content=${"b".repeat(just + 1)}&access_token=${at.key}&name=${long}`)).status).toBe(
      401,
    );
  });

  test("of a multipart body must be within the first 64 KB; files after it are accepted", async () => {
    const at = startPlaten();
    const field = (name: string, value: string | File): [string, string | File] => [name, value];
    const photo = new File([await picture(4, 4)], "a.webp");
    const send = async (...fields: [string, string | File][]) => {
      const body = new FormData();
      for (const [name, value] of fields) body.append(name, value);
      return (await at.fetch("/micropub", { method: "POST", body })).status;
    };
    expect(await send(field("content", long), field("access_token", at.key), field("photo", photo))).toBe(
      401,
    );
    expect(await send(field("photo", photo), field("access_token", at.key))).toBe(401);
    expect(incoming(at)).toEqual([]);
    expect(await send(field("access_token", at.key), field("content", long), field("photo", photo))).toBe(
      201,
    );
  });
});

describe("forty stalled uploads", () => {
  const UPLOADS = 40;
  const PIECES = 64;
  /** Bytes the parser holds back, because they may be the start of a boundary. */
  const HELD_BACK = 100;

  /** An upload that stalls halfway; `cut` aborts it like a client that disconnects. */
  function stallUpload(at: TestPlaten, path: string, name: string) {
    let sent = 0;
    const cut = Promise.withResolvers<void>();
    const body = new ReadableStream(
      {
        async pull(controller) {
          if (sent === PIECES) {
            await cut.promise;
            return controller.error(new Error("gone"));
          }
          if (sent++ === 0) controller.enqueue(Buffer.from(`--cut\r\n${file.replace("file", name)}`));
          controller.enqueue(Buffer.alloc(CHUNK, "a"));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { authorization: `Bearer ${at.key}`, "content-type": PARTS };
    return { answer: at.fetch(path, { method: "POST", body, headers }), cut: cut.resolve };
  }

  test.each([
    ["/api/v1/attachments", "attachment[file]"],
    ["/micropub/media", "file"],
    ["/micropub", "photo"],
  ])("at %s use the disk instead of memory, and leave no file when they are cut off", async (path, name) => {
    const at = startPlaten();
    const uploads = Array.from({ length: UPLOADS }, () => stallUpload(at, path, name));
    const folder = join(at.platen.config.data, "media/.incoming");
    const onDisk = () =>
      incoming(at).reduce((bytes, upload) => bytes + statSync(join(folder, upload)).size, 0);
    while (onDisk() < UPLOADS * (PIECES * CHUNK - HELD_BACK)) await yieldToEventLoop();
    for (const { cut } of uploads) cut();
    for (const { answer } of uploads) expect((await answer).status).toBe(400);
    expect(incoming(at)).toEqual([]);
  });
});

function incoming(at: TestPlaten): string[] {
  const folder = join(at.platen.config.data, "media/.incoming");
  return existsSync(folder) ? readdirSync(folder) : [];
}
