import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { Refusal } from "../../src/errors";
import { readMultipart } from "../../src/http/requests/multipart";
import { inPieces } from "./samples";

const MEGABYTE = 1_048_576;

interface Read {
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
  readMultipart<Read>(
    request,
    async (field, filename, stream, type) => ({ field, filename, type, bytes: await textOf(stream) }),
    async ({ bytes }) => void discarded.push(bytes),
  );

const sent = (body: string | FormData | ReadableStream, type?: string) =>
  new Request("http://blog.test/", { method: "POST", body, headers: type ? { "content-type": type } : {} });

const CUT = "multipart/form-data; boundary=cut";
const part = (head: string, content: string) =>
  `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const fault = await work.then(
    () => new Error("nothing was refused"),
    (fault) => fault,
  );
  if (!(fault instanceof Refusal)) throw fault;
  return fault;
}

test("fields come in their order, names as sent; files as they were taken", async () => {
  const form = new FormData();
  form.append("blog_id", "7");
  form.append("category[]", "a");
  form.append("category[]", "b ☕");
  form.append("attachment[file]", new File(["bytes"], "ñandú 猫.jpg", { type: "image/jpeg" }));
  form.append("attachment[caption]", "");
  const { fields, files } = await read(sent(form));
  expect(fields).toEqual([
    ["blog_id", "7"],
    ["category[]", "a"],
    ["category[]", "b ☕"],
    ["attachment[caption]", ""],
  ]);
  const value = { field: "attachment[file]", filename: "ñandú 猫.jpg", type: "image/jpeg", bytes: "bytes" };
  expect(files).toEqual([{ field: "attachment[file]", value }]);
});

test("a file part without a name is a file; an input left empty is none", async () => {
  const body = `${part(`name="photo"\r\nContent-Type: image/jpeg`, "bytes")}${part(`name="video"; filename=""\r\nContent-Type: application/octet-stream`, "")}--cut--\r\n`;
  const { fields, files } = await read(sent(body, CUT));
  expect(fields).toEqual([]);
  expect(files.map(({ value }) => value.filename + value.bytes)).toEqual(["bytes"]);
});

test("a path in a file name is cut away", async () => {
  const { files } = await read(sent(`${part(`name="f"; filename="../../a.jpg"`, "x")}--cut--`, CUT));
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
    expect((await refusalOf(read(sent("{}", type)))).kind).toBe("malformed");
  expect((await refusalOf(read(new Request("http://blog.test/", { method: "POST" })))).kind).toBe(
    "malformed",
  );
});

test("a body that breaks off is malformed", async () => {
  const whole = `${part(`name="a"; filename="a"`, "first")}${part(`name="b"; filename="b"`, "second")}${part(`name="c"`, "text")}--cut--\r\n`;
  for (let length = 0; length < whole.length - "\r\n".length; length++) {
    const refusal = await refusalOf(read(sent(whole.slice(0, length), CUT)));
    expect([length, refusal.kind, refusal.message]).toEqual([
      length,
      "malformed",
      "The multipart body is damaged or breaks off before its end.",
    ]);
  }
  expect((await read(sent(whole, CUT))).files.length).toBe(2);
});

test("more text, parts or files than a form may have are refused", async () => {
  const text = (length: number) => `${part(`name="content"`, "x".repeat(length))}--cut--`;
  expect((await read(sent(text(6 * MEGABYTE), CUT))).fields[0]?.[1].length).toBe(6 * MEGABYTE);
  expect((await refusalOf(read(sent(text(10 * MEGABYTE + 1), CUT)))).kind).toBe("too large");
  const twice = part(`name="content"`, "x".repeat(6 * MEGABYTE));
  expect((await refusalOf(read(sent(`${twice}${twice}--cut--`, CUT)))).kind).toBe("too large");
  const many = part(`name="a"`, "").repeat(201);
  expect((await refusalOf(read(sent(`${many}--cut--`, CUT)))).kind).toBe("malformed");
  const files = part(`name="a"; filename="a"`, "x").repeat(21);
  expect((await refusalOf(read(sent(`${files}--cut--`, CUT)))).kind).toBe("malformed");
});

test("a file taken before the body broke off is discarded", async () => {
  const taken = Promise.withResolvers<void>();
  const broken = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from(`${part(`name="a"; filename="a"`, "first")}--cut\r\n`));
      await taken.promise;
      controller.close();
    },
  });
  const discarded: string[] = [];
  const form = readMultipart(
    sent(broken, CUT),
    async (_field, filename, stream) => {
      await textOf(stream);
      taken.resolve();
      return filename;
    },
    async (filename) => void discarded.push(filename),
  );
  expect((await refusalOf(form)).kind).toBe("malformed");
  expect(discarded).toEqual(["a"]);
});

test("what a file's taker refuses ends the form, the rest unread", async () => {
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
    sent(endless, CUT),
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

test("a taker that does not want all the bytes does not stop the form", async () => {
  const megabyte = "x".repeat(MEGABYTE);
  const body = `${part(`name="a"; filename="a"`, megabyte)}${part(`name="b"; filename="b"`, megabyte)}${part(`name="c"`, "after")}--cut--`;
  const { fields, files } = await readMultipart(
    sent(
      new Response(inPieces(Buffer.from(body), 60_000) as unknown as BodyInit).body as ReadableStream,
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

test("no more of a body is read than the taker takes", async () => {
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
  let taken = 0;
  let furthest = 0;
  await readMultipart(
    sent(body, CUT),
    async (_field, _filename, stream) => {
      for await (const piece of stream) {
        taken += piece.length;
        await new Promise(setImmediate);
        furthest = Math.max(furthest, produced * MEGABYTE - taken);
      }
    },
    async () => {},
  );
  expect(taken).toBe(100 * MEGABYTE);
  expect(furthest).toBeLessThan(5 * MEGABYTE);
});

const ended = Promise.withResolvers<unknown>();
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    await read(request).then(ended.resolve, ended.resolve);
    return new Response();
  },
});
afterAll(() => server.stop(true));

test("a client that goes away in the middle ends the reading", async () => {
  const socket = connect(server.port as number, "127.0.0.1");
  const body = part(`name="a"; filename="a"`, "x".repeat(100_000));
  socket.write(
    `POST / HTTP/1.1\r\nHost: blog.test\r\nContent-Type: ${CUT}\r\nContent-Length: 1000000\r\n\r\n${body}`,
    () => socket.destroy(),
  );
  expect(((await ended.promise) as Refusal).kind).toBe("malformed");
});
