import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { Refusal } from "../../src/errors";
import { readMultipart } from "../../src/http/requests/multipart";
import { startPlaten } from "../support/platen";
import { chunksOf } from "./samples";

const MEGABYTE = 1_048_576;

interface ParsedForm {
  field: string;
  filename: string;
  type: string;
  bytes: string;
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const read = (request: Request, discarded: string[] = []) =>
  readMultipart<ParsedForm>(
    request,
    async (field, filename, stream, type) => ({ field, filename, type, bytes: await textOf(stream) }),
    async ({ bytes }) => void discarded.push(bytes),
  );

const requestWith = (body: string | FormData | ReadableStream, type?: string) =>
  new Request("http://blog.test/", { method: "POST", body, headers: type ? { "content-type": type } : {} });

const CUT = "multipart/form-data; boundary=cut";
const part = (head: string, content: string) =>
  `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;

async function rejectionOf(work: Promise<unknown>): Promise<Refusal> {
  const fault = await work.then(
    () => new Error("nothing was refused"),
    (fault) => fault,
  );
  if (!(fault instanceof Refusal)) throw fault;
  return fault;
}

test("fields are in order with their names; files are as received", async () => {
  const form = new FormData();
  form.append("blog_id", "7");
  form.append("category[]", "a");
  form.append("category[]", "b ☕");
  form.append("attachment[file]", new File(["bytes"], "ñandú 猫.jpg", { type: "image/jpeg" }));
  form.append("attachment[caption]", "");
  const { fields, files } = await read(requestWith(form));
  expect(fields).toEqual([
    ["blog_id", "7"],
    ["category[]", "a"],
    ["category[]", "b ☕"],
    ["attachment[caption]", ""],
  ]);
  const value = { field: "attachment[file]", filename: "ñandú 猫.jpg", type: "image/jpeg", bytes: "bytes" };
  expect(files).toEqual([{ field: "attachment[file]", value }]);
});

test("a file part without a name is a file; an empty file input is none", async () => {
  const body = `${part(`name="photo"\r\nContent-Type: image/jpeg`, "bytes")}${part(`name="video"; filename=""\r\nContent-Type: application/octet-stream`, "")}--cut--\r\n`;
  const { fields, files } = await read(requestWith(body, CUT));
  expect(fields).toEqual([]);
  expect(files.map(({ value }) => value.filename + value.bytes)).toEqual(["bytes"]);
});

test("a path in a file name is removed", async () => {
  const { files } = await read(requestWith(`${part(`name="f"; filename="../../a.jpg"`, "x")}--cut--`, CUT));
  expect(files[0]?.value.filename).toBe("a.jpg");
});

test("another content type, or one without a boundary, is malformed", async () => {
  for (const type of [
    "application/json",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "text/plain; boundary=cut",
    "multipart/mixed; boundary=cut",
  ])
    expect((await rejectionOf(read(requestWith("{}", type)))).kind).toBe("malformed");
  expect((await rejectionOf(read(new Request("http://blog.test/", { method: "POST" })))).kind).toBe(
    "malformed",
  );
});

test("a truncated body is malformed", async () => {
  const whole = `${part(`name="a"; filename="a"`, "first")}${part(`name="b"; filename="b"`, "second")}${part(`name="c"`, "text")}--cut--\r\n`;
  for (let length = 0; length < whole.length - "\r\n".length; length++) {
    const refusal = await rejectionOf(read(requestWith(whole.slice(0, length), CUT)));
    expect([length, refusal.kind, refusal.message]).toEqual([
      length,
      "malformed",
      "The multipart body is damaged or incomplete.",
    ]);
  }
  expect((await read(requestWith(whole, CUT))).files.length).toBe(2);
});

const CLOSING = "--cut--\r\n";
const WITHOUT_CONTENT = '--cut\r\nContent-Disposition: form-data; name="b"';

test.each([
  ["a part that begins with the closing boundary", `${WITHOUT_CONTENT}\r\n\r\n${CLOSING}`],
  ["a file that begins with the closing boundary", `${WITHOUT_CONTENT}; filename="b"\r\n\r\n${CLOSING}`],
  [
    "a file that begins with the closing boundary, after a complete one",
    `${part(`name="a"; filename="a"`, "x")}${WITHOUT_CONTENT}\r\n\r\n${CLOSING}`,
  ],
  ["headers cut off by the boundary", `${WITHOUT_CONTENT}\r\n${CLOSING}`],
  ["an empty part", `--cut\r\n${CLOSING}`],
  ["an empty part between others", `${part(`name="a"`, "x")}--cut\r\n${part(`name="c"`, "x")}${CLOSING}`],
  ["endless headers", `--cut\r\n${"X: y\r\n".repeat(40_000)}`],
  ["an endless name", `--cut\r\nContent-Disposition: form-data; name="${"a".repeat(100_000)}`],
  ["a long name", `${part(`name="${"a".repeat(5000)}"`, "x")}${CLOSING}`],
  ["a file part with a long name", `${part(`name="${"a".repeat(5000)}"; filename="a"`, "x")}${CLOSING}`],
  ["no closing boundary", part(`name="a"`, "x")],
  ["half a closing boundary", `${part(`name="a"`, "x")}--cut-\r\n`],
  ["only text before the first part", "x".repeat(300_000)],
  ["thousands of parts", `${part(`name="a"`, "x").repeat(10_000)}${CLOSING}`],
  ["thousands of parts without a name", `${"--cut\r\n\r\n\r\n".repeat(20_000)}${CLOSING}`],
  ["thousands of boundaries", `${"--cut\r\n".repeat(50_000)}${CLOSING}`],
  ["thousands of files", `${part(`name="a"; filename="a"`, "x").repeat(5000)}${CLOSING}`],
  ["boundaries after the closing one", `--cut\r\n${CLOSING.repeat(3)}`],
  ["a long part without Content-Disposition", `--cut\r\nX: y\r\n\r\n${"x".repeat(70_000)}\r\n${CLOSING}`],
])("%s is malformed, however it is chunked, and its files are discarded", async (_, body) => {
  for (const length of [body.length, 7, 1]) {
    if (body.length / length > 20_000) continue;
    const discarded: string[] = [];
    const received: string[] = [];
    const stream = new Response(chunksOf(Buffer.from(body), length) as unknown as BodyInit).body;
    const refused = readMultipart(
      requestWith(stream as ReadableStream, CUT),
      async (field, _filename, content) => {
        await textOf(content);
        received.push(field);
        return field;
      },
      async (field) => void discarded.push(field),
    );
    expect([length, (await rejectionOf(refused)).kind]).toEqual([length, "malformed"]);
    expect(discarded).toEqual(received);
  }
});

test("a field that begins with the closing boundary is rejected before the body ends", async () => {
  const at = startPlaten();
  const unendingBody = () =>
    new ReadableStream({ start: (body) => body.enqueue(`${WITHOUT_CONTENT}\r\n\r\n${CLOSING}`) });
  const headers = { authorization: `Bearer ${at.key}`, "content-type": CUT };
  for (const path of ["/micropub", "/micropub/media", "/api/v1/attachments"]) {
    const answer = await at.fetch(path, { method: "POST", body: unendingBody(), headers });
    expect([path, answer.status]).toEqual([path, 400]);
  }
}, 10_000);

test.each([
  ["may have 70 characters", "c".repeat(70), true],
  ["may not have 71 characters", "c".repeat(71), false],
  ["may not have 375 characters", "c".repeat(375), false],
  ["may contain punctuation", "'()+_,-./:=?", true],
  ["may be two hyphens", "--", true],
  ["may not have an unclosed quote", '"cut', false],
  ["may not be empty", "", false],
])("a boundary %s", async (_, boundary, isTaken) => {
  const body = `${part(`name="a"`, "x").replaceAll("cut", boundary)}--${boundary}--`;
  const reading = read(requestWith(body, `multipart/form-data; boundary=${boundary}`));
  if (isTaken) expect((await reading).fields).toEqual([["a", "x"]]);
  else expect((await rejectionOf(reading)).kind).toBe("malformed");
});

test.each(["UTF-8''%e2%82%ac.jpg", "UTF-8''%ff%00", "nope''%zz", "UTF-8'en", "", "__proto__''x", ""])(
  "a file name in filename*=%s does not fail",
  async (given) => {
    const body = `${part(`name="f"; filename*=${given}`, "x")}${CLOSING}`;
    const { files } = await read(requestWith(body, CUT));
    expect(files.length).toBeLessThan(2);
  },
);

test("too much text, and too many fields or files, are rejected", async () => {
  const text = (length: number) => `${part(`name="content"`, "x".repeat(length))}--cut--`;
  expect((await read(requestWith(text(6 * MEGABYTE), CUT))).fields[0]?.[1].length).toBe(6 * MEGABYTE);
  expect((await rejectionOf(read(requestWith(text(10 * MEGABYTE + 1), CUT)))).kind).toBe("too large");
  const twice = part(`name="content"`, "x".repeat(6 * MEGABYTE));
  expect((await rejectionOf(read(requestWith(`${twice}${twice}--cut--`, CUT)))).kind).toBe("too large");
  const many = part(`name="a"`, "").repeat(6101);
  expect((await rejectionOf(read(requestWith(`${many}--cut--`, CUT)))).kind).toBe("malformed");
  const files = part(`name="a"; filename="a"`, "x").repeat(21);
  expect((await rejectionOf(read(requestWith(`${files}--cut--`, CUT)))).kind).toBe("malformed");
});

test("a file received before the body was truncated is discarded", async () => {
  const wasReceived = Promise.withResolvers<void>();
  const broken = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from(`${part(`name="a"; filename="a"`, "first")}--cut\r\n`));
      await wasReceived.promise;
      controller.close();
    },
  });
  const discarded: string[] = [];
  const form = readMultipart(
    requestWith(broken, CUT),
    async (_field, filename, stream) => {
      await textOf(stream);
      wasReceived.resolve();
      return filename;
    },
    async (filename) => void discarded.push(filename),
  );
  expect((await rejectionOf(form)).kind).toBe("malformed");
  expect(discarded).toEqual(["a"]);
});

test("a rejected file ends the form, and the rest is not read", async () => {
  let produced = 0;
  const refusing = Promise.withResolvers<void>();
  const endless = new ReadableStream({
    async pull(controller) {
      const begin = part(`name="a"; filename="a"`, "first piece");
      if (produced > 0) await refusing.promise.then(() => new Promise(setImmediate));
      controller.enqueue(Buffer.from(produced++ === 0 ? begin : "x".repeat(100_000)));
    },
  });
  const refused = readMultipart(
    requestWith(endless, CUT),
    async (_field, _filename, stream) => {
      for await (const piece of stream) {
        refusing.resolve();
        if (piece.length > 0) throw new Error("not this one");
      }
    },
    async () => {},
  );
  await refused.catch((fault) => expect(fault.message).toBe("not this one"));
  expect(produced).toBeLessThan(100);
});

test("a file that is not read to its end does not stop the form", async () => {
  const megabyte = "x".repeat(MEGABYTE);
  const body = `${part(`name="a"; filename="a"`, megabyte)}${part(`name="b"; filename="b"`, megabyte)}${part(`name="c"`, "after")}--cut--`;
  const { fields, files } = await readMultipart(
    requestWith(
      new Response(chunksOf(Buffer.from(body), 60_000) as unknown as BodyInit).body as ReadableStream,
      CUT,
    ),
    async (field, _filename, stream) => {
      if (field === "a") return "nothing read";
      for await (const piece of stream) return `${piece.length > 0 && piece.length < MEGABYTE}`;
    },
    async () => {},
  );
  expect(fields).toEqual([["c", "after"]]);
  expect(files.map(({ value }) => value)).toEqual(["nothing read", "true"]);
});

test("a body is read only as fast as it is consumed", async () => {
  let produced = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (produced === 0) controller.enqueue(Buffer.from(part(`name="a"; filename="a"`, "").slice(0, -2)));
      else if (produced <= 100) controller.enqueue(Buffer.alloc(MEGABYTE, "x"));
      else {
        controller.enqueue(Buffer.from("\r\n--cut--"));
        controller.close();
      }
      produced++;
    },
  });
  let bytesRead = 0;
  let furthest = 0;
  await readMultipart(
    requestWith(body, CUT),
    async (_field, _filename, stream) => {
      for await (const piece of stream) {
        bytesRead += piece.length;
        await new Promise(setImmediate);
        furthest = Math.max(furthest, produced * MEGABYTE - bytesRead);
      }
    },
    async () => {},
  );
  expect(bytesRead).toBe(100 * MEGABYTE);
  expect(furthest).toBeLessThan(5 * MEGABYTE);
});

const ended = Promise.withResolvers<unknown>();
const server = Bun.serve({
  idleTimeout: 0,
  port: 0,
  async fetch(request) {
    await read(request).then(ended.resolve, ended.resolve);
    return new Response();
  },
});
afterAll(() => server.stop(true));

test("a client that disconnects ends the reading", async () => {
  const socket = connect(server.port as number, "127.0.0.1");
  const body = part(`name="a"; filename="a"`, "x".repeat(100_000));
  socket.write(
    `POST / HTTP/1.1\r\nHost: blog.test\r\nContent-Type: ${CUT}\r\nContent-Length: 1000000\r\n\r\n${body}`,
    () => socket.destroy(),
  );
  expect(((await ended.promise) as Refusal).kind).toBe("malformed");
});
