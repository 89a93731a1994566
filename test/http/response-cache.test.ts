import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { callOf } from "../../src/http/requests/call";
import { ResponseCache } from "../../src/http/response-cache";
import { sendResponse } from "../../src/http/responses/response";
import { startPlaten } from "../support/platen";

const TEXT = "All work and no play. ".repeat(200);

function memoryOf(started: ReturnType<typeof startPlaten>, room?: number) {
  const memory = new ResponseCache(started.platen, room);
  let rendered = 0;
  const ask = async (
    key: string,
    headers: Record<string, string> = {},
    text = TEXT,
    status = 200,
    control = "public",
  ) => {
    const shown = await memory.getOrMake(key, () => {
      rendered++;
      const made = { "content-type": "text/html", "cache-control": control, etag: '"its own"' };
      return { status, headers: new Headers(made), body: text };
    });
    return sendResponse(callOf(started.platen, new Request("http://blog.test/", { headers }), null), shown);
  };
  return { ask, rendered: () => rendered };
}

test("a page is rendered once until something changes", async () => {
  const started = startPlaten();
  const { ask, rendered } = memoryOf(started);
  await ask("a");
  expect(await (await ask("a")).text()).toBe(TEXT);
  expect(rendered()).toBe(1);
  await started.api("POST", "/posts", { post: { title: "New" } });
  await ask("a");
  expect(rendered()).toBe(2);
});

test("simultaneous requests share one rendering; requests after a change do not use an older one", async () => {
  const started = startPlaten();
  const memory = new ResponseCache(started.platen);
  const renderings: PromiseWithResolvers<string>[] = [];
  const ask = async (control = "public") => {
    const shown = await memory.getOrMake("a", async () => {
      const text = Promise.withResolvers<string>();
      renderings.push(text);
      const headers = new Headers({ "cache-control": control });
      return { status: 200, headers, body: await text.promise };
    });
    return await sendResponse(callOf(started.platen, new Request("http://blog.test/"), null), shown).text();
  };
  const first = [ask(), ask(), ask()];
  expect(renderings.length).toBe(1);
  await started.api("POST", "/posts", { post: { title: "New" } });
  const second = [ask(), ask()];
  expect(renderings.length).toBe(2);
  renderings[1]?.resolve("new");
  expect(await Promise.all(second)).toEqual(["new", "new"]);
  renderings[0]?.resolve("old");
  expect(await Promise.all(first)).toEqual(["old", "new", "new"]);
  expect([await ask(), renderings.length]).toEqual(["new", 2]);
});

test("if rendering fails, or the response is private, each waiting request renders its own", async () => {
  const started = startPlaten();
  const memory = new ResponseCache(started.platen);
  let made = 0;
  const ask = (isBroken: boolean) =>
    memory.getOrMake("a", async () => {
      await Promise.resolve();
      if (isBroken) throw new Error("broken");
      return { status: 200, headers: new Headers({ "cache-control": "no-store" }), body: `${++made}` };
    });
  const responses = [ask(true), ask(false), ask(false)];
  expect(responses[0]).rejects.toThrow("broken");
  const [, second, third] = await Promise.allSettled(responses);
  expect([second, third].map((one) => one?.status === "fulfilled" && one.value.body)).toEqual(["1", "2"]);
});

test("if the first request fails, one of the waiting requests renders for all", async () => {
  const memory = new ResponseCache(startPlaten().platen);
  let made = 0;
  const ask = (isBroken: boolean) =>
    memory.getOrMake("a", async () => {
      await Promise.resolve();
      if (isBroken) throw new Error("broken");
      return { status: 200, headers: new Headers({ "cache-control": "public" }), body: `${++made}` };
    });
  const [first, ...others] = [ask(true), ask(false), ask(false), ask(false)];
  expect(first).rejects.toThrow("broken");
  await Promise.all(others);
  expect(made).toBe(1);
});

test("each client gets the best encoding it accepts, with its own ETag", async () => {
  const { ask } = memoryOf(startPlaten());
  const etags = new Set<string>();
  const cases = [
    ["gzip, deflate, br, zstd", "zstd", zstdDecompressSync],
    ["gzip;q=0.5, br", "br", brotliDecompressSync],
    ["gzip;q=1.0, br;q=0", "gzip", gunzipSync],
    ["br;q=0.1, gzip", "gzip", gunzipSync],
    ["*", "zstd", zstdDecompressSync],
    ["identity", null, (body: Uint8Array) => body],
    ["", null, (body: Uint8Array) => body],
  ] as const;
  for (const [accepts, encoding, unpack] of cases) {
    const response = await ask("a", { "accept-encoding": accepts });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(response.headers.get("vary")).toBe("accept-encoding");
    expect(new TextDecoder().decode(unpack(await response.bytes()))).toBe(TEXT);
    const etag = response.headers.get("etag") as string;
    etags.add(etag);
    const again = await ask("a", { "accept-encoding": accepts, "if-none-match": etag });
    expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
  }
  expect(etags.size).toBe(4);
});

test("a small page is not compressed", async () => {
  const { ask } = memoryOf(startPlaten());
  expect((await ask("a", { "accept-encoding": "br" }, "short")).headers.has("content-encoding")).toBe(false);
});

test("errors and private responses are not cached", async () => {
  const { ask, rendered } = memoryOf(startPlaten());
  for (const [status, control] of [
    [404, "public"],
    [200, "no-store"],
  ] as const) {
    const before = rendered();
    await ask("a", {}, TEXT, status, control);
    await ask("a", {}, TEXT, status, control);
    expect(rendered()).toBe(before + 2);
  }
});

test("a non-canonical URL is not cached", async () => {
  const { ask, rendered } = memoryOf(startPlaten());
  await ask("x".repeat(501));
  await ask("x".repeat(501));
  expect(rendered()).toBe(2);
});

test("the cache's size is limited: the least recently used page is removed first", async () => {
  const { ask, rendered } = memoryOf(startPlaten(), TEXT.length * 6);
  await ask("a");
  await ask("b");
  await ask("a");
  await ask("c");
  expect(rendered()).toBe(3);
  await ask("a");
  expect(rendered()).toBe(3);
  await ask("b");
  expect(rendered()).toBe(4);
});
