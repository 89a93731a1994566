import { afterEach, expect, jest, test } from "bun:test";
import {
  bodyWithin,
  type Failure,
  firstBytes,
  IncompleteResponse,
  wholeBody,
} from "../../src/outgoing/http-client";
import { AN_HOUR, expectResponse, receive, receiveRaw, resolverOf, send, textOf } from "./receivers";

/** A short time limit in milliseconds, for tests in which nothing happens until then. */
const SHORT = 60;

afterEach(() => jest.useRealTimers());

test("a POST arrives unchanged, and any status is a response", async () => {
  const { port, seen } = receive(async (request) => {
    return new Response(`got ${await request.text()}`, { status: 503, headers: { "retry-after": "7" } });
  });
  const answer = expectResponse(
    await send({
      method: "POST",
      url: `http://127.0.0.1:${port}/hook?a=1#x`,
      headers: { "content-type": "application/json", "user-agent": "Platen-Webhooks/1.0" },
      body: '{"title":"Grüße"}',
    }),
  );
  expect(answer.statusCode).toBe(503);
  expect(answer.headers["retry-after"]).toBe("7");
  expect(new TextDecoder().decode(await firstBytes(answer, 1024))).toBe('got {"title":"Grüße"}');
  expect(seen[0]?.path).toBe("/hook?a=1");
  expect(Object.fromEntries(seen[0]?.headers ?? [])).toMatchObject({
    "content-type": "application/json",
    "user-agent": "Platen-Webhooks/1.0",
    "content-length": "19",
    "accept-encoding": "identity",
  });
});

test("the receiver sees the host of the URL, not the address", async () => {
  const { port, seen } = receive(() => new Response());
  const resolve = resolverOf({ "build.lan": ["127.0.0.1"] });
  expectResponse(await send({ url: `http://build.lan:${port}/` }, { resolve })).close();
  expect(seen[0]?.headers.get("host")).toBe(`build.lan:${port}`);
});

test("every request names Platen, because many servers reject requests without a User-Agent", async () => {
  const { port, seen } = receive(() => new Response());
  expectResponse(await send({ url: `http://127.0.0.1:${port}/` })).close();
  expect(seen[0]?.headers.get("user-agent")).toStartWith("Platen/");
});

test("proxy settings of the environment are ignored", async () => {
  const proxy = receive(() => new Response("proxied"));
  const { port } = receive(() => new Response("direct"));
  process.env.http_proxy = process.env.HTTP_PROXY = `http://127.0.0.1:${proxy.port}`;
  try {
    expect(await textOf(await send({ url: `http://127.0.0.1:${port}/` }))).toBe("direct");
  } finally {
    delete process.env.http_proxy;
    delete process.env.HTTP_PROXY;
  }
});

test("a redirect is a response unless redirects are enabled, and never followed for a POST", async () => {
  const { port, seen } = receive(() => Response.redirect("/elsewhere", 302));
  const url = `http://127.0.0.1:${port}/`;
  expect(expectResponse(await send({ url })).statusCode).toBe(302);
  expect(expectResponse(await send({ url, method: "POST", body: "x", redirects: 3 })).statusCode).toBe(302);
  expect(seen).toHaveLength(2);
});

test("redirects are followed up to the limit, without the credentials of the first request", async () => {
  const { port, seen } = receive(({ url }) => {
    const at = Number(new URL(url).pathname.slice(1));
    return at < 3 ? Response.redirect(`/${at + 1}`, 302) : new Response("there");
  });
  const request = {
    url: `http://127.0.0.1:${port}/0`,
    headers: { Authorization: "Bearer x", Cookie: "a=b", accept: "image/*" },
  };
  const there = expectResponse(await send({ ...request, redirects: 3 }));
  expect([there.statusCode, there.url]).toEqual([200, `http://127.0.0.1:${port}/3`]);
  expect(await textOf(there)).toBe("there");
  expect(
    seen.map(({ headers }) => [headers.get("authorization"), headers.get("cookie"), headers.get("accept")]),
  ).toEqual([["Bearer x", "a=b", "image/*"], ...Array(3).fill([null, null, "image/*"])]);
  expect(expectResponse(await send({ ...request, redirects: 2 })).statusCode).toBe(302);
});

test("every hop of a redirect is checked like the first", async () => {
  const secret = receive(() => new Response("secret"));
  const resolve = resolverOf({ "open.lan": ["127.0.0.1"], "inner.example": ["127.0.0.1"] });
  for (const location of [
    `http://127.0.0.1:${secret.port}/`,
    `http://inner.example:${secret.port}/`,
    `//[::ffff:7f00:1]:${secret.port}/`,
    "file:///etc/passwd",
    `http://ada:pw@open.lan:${secret.port}/`,
  ]) {
    const { port } = receive(() => new Response(null, { status: 302, headers: { location } }));
    const outcome = await send(
      { url: `http://open.lan:${port}/`, redirects: 5 },
      { privateHosts: ["open.lan"], resolve },
    );
    expect([location, outcome]).toEqual([location, { failed: expect.any(String), kind: "refused" }]);
  }
  expect(secret.seen).toEqual([]);
});

test("a missing server is unreachable; one that closes at once or sends no HTTP is broken", async () => {
  const { port: free, gone } = await receiveRaw((socket) => socket.destroy());
  expect(await send({ url: `http://127.0.0.1:${free}/` })).toMatchObject({ kind: "broken" });
  await gone;
  expect(await send({ url: "http://127.0.0.1:1/" })).toEqual({
    failed: "127.0.0.1:1 refused the connection",
    kind: "unreachable",
  });
  const ssh = await receiveRaw((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
  expect(await send({ url: `http://127.0.0.1:${ssh.port}/` })).toMatchObject({ kind: "broken" });
});

test("if an address does not respond, the next one of the name is tried", async () => {
  const { port } = receive(() => new Response("second"));
  const resolve = resolverOf({ "two.lan": ["127.0.0.2", "127.0.0.1"] });
  expect(
    await textOf(await send({ url: `http://two.lan:${port}/` }, { privateHosts: ["127.0.0.0/8"], resolve })),
  ).toBe("second");
});

test("a protocol switch is no response, and the connection is closed", async () => {
  const { port, gone } = await receiveRaw((socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nabc"),
  );
  expect(await send({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ kind: "broken" });
  await gone;
});

test("endless informational responses are cut off", async () => {
  const { port, gone } = await receiveRaw((socket) => {
    const more = () =>
      socket.destroyed || socket.write("HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n", more);
    more();
  });
  expect(await send({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ kind: "unreachable" });
  await gone;
});

test("of a body in endless chunks of one byte, only the beginning is read", async () => {
  const { port, gone } = await receiveRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    const more = () => socket.destroyed || socket.write("1\r\na\r\n".repeat(1000), more);
    more();
  });
  const url = `http://127.0.0.1:${port}/`;
  expect((await firstBytes(expectResponse(await send({ url })), 1_000_000)).length).toBeLessThan(1_000_000);
  expect(await wholeBody(expectResponse(await send({ url })), 1_000_000)).toMatchObject({
    kind: "too large",
  });
  await gone;
});

test("endless headers are cut off", async () => {
  const { port, gone } = await receiveRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const more = () => socket.destroyed || socket.write(`x-more: ${"a".repeat(8000)}\r\n`, more);
    more();
  });
  expect(await send({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ kind: "broken" });
  await gone;
});

test("a server that sends no headers times out, and its connection is closed", async () => {
  const { port, gone } = await receiveRaw(() => {});
  expect(await send({ url: `http://127.0.0.1:${port}/`, within: SHORT })).toEqual({
    failed: "timed out",
    kind: "timed out",
  });
  await gone;
});

test("a server that sends its headers very slowly times out too", async () => {
  const { port, gone } = await receiveRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const drops = setInterval(() => socket.write("x-a: b\r\n"), 10);
    socket.on("close", () => clearInterval(drops));
  });
  expect(await send({ url: `http://127.0.0.1:${port}/`, within: SHORT })).toMatchObject({
    kind: "timed out",
  });
  await gone;
});

test("a hanging name lookup times out, and its later result is not used", async () => {
  const { port, seen } = receive(() => new Response());
  const late = Promise.withResolvers<{ address: string; family: number }[]>();
  const outcome = await send(
    { url: `http://slow.lan:${port}/`, within: SHORT },
    { resolve: () => late.promise },
  );
  expect(outcome).toMatchObject({ kind: "timed out" });
  late.resolve([{ address: "127.0.0.1", family: 4 }]);
  expectResponse(await send({ url: `http://127.0.0.1:${port}/after` })).close();
  expect(seen.map(({ path }) => path)).toEqual(["/after"]);
});

test("all hops together share one time limit", async () => {
  jest.useFakeTimers();
  const { port, seen } = receive(() => {
    jest.advanceTimersByTime(AN_HOUR / 3);
    return Response.redirect("/", 302);
  });
  expect(await send({ url: `http://127.0.0.1:${port}/`, redirects: 100 })).toMatchObject({
    kind: "timed out",
  });
  expect(seen).toHaveLength(3);
});

test("the status arrives before the body; the first bytes are those that came in time", async () => {
  // A body without length and chunks ends with its connection, also if this side closes it.
  const { port, gone } = await receiveRaw((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nso far"));
  const url = `http://127.0.0.1:${port}/`;
  jest.useFakeTimers();
  const answer = expectResponse(await send({ url }));
  expect(answer.statusCode).toBe(200);
  jest.advanceTimersByTime(AN_HOUR);
  expect(new TextDecoder().decode(await firstBytes(answer, 1024))).toBe("so far");
  await gone;
  const again = expectResponse(await send({ url }));
  jest.advanceTimersByTime(AN_HOUR);
  expect(await wholeBody(again, 1024)).toEqual({ failed: "timed out", kind: "timed out" });
});

test("the first bytes of an endless body are read, and the rest is cut off", async () => {
  const { port, gone } = await receiveRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const more = () => socket.destroyed || socket.write("a".repeat(700), () => setImmediate(more));
    more();
  });
  const answer = expectResponse(await send({ url: `http://127.0.0.1:${port}/` }));
  expect(new TextDecoder().decode(await firstBytes(answer, 1024))).toBe("a".repeat(1024));
  await gone;
});

test("an unread body is closed on request, or at the time limit", async () => {
  jest.useFakeTimers();
  for (const isCut of [true, false]) {
    const { port, gone } = await receiveRaw((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nso far"));
    const answer = expectResponse(await send({ url: `http://127.0.0.1:${port}/` }));
    if (isCut) answer.close();
    else jest.advanceTimersByTime(AN_HOUR);
    await gone;
  }
});

test("a complete body is accepted up to its limit, and too large one byte beyond", async () => {
  const { port, seen } = receive(() => new Response("a".repeat(100_000)));
  const url = `http://127.0.0.1:${port}/`;
  expect(await wholeBody(expectResponse(await send({ url })), 100_000)).toHaveLength(100_000);
  expect(await wholeBody(expectResponse(await send({ url })), 99_999)).toEqual({
    failed: "the response is longer than 99999 bytes",
    kind: "too large",
  });
  expect(seen).toHaveLength(2);
});

test("a body is streamed in chunks, and stops at its limit", async () => {
  const { port, gone } = await receiveRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const more = () => socket.destroyed || socket.write("a".repeat(1000), () => setImmediate(more));
    more();
  });
  const answer = expectResponse(await send({ url: `http://127.0.0.1:${port}/` }));
  let length = 0;
  const read = (async () => {
    for await (const piece of bodyWithin(answer, 50_000)) length += piece.length;
  })();
  await expect(read).rejects.toBeInstanceOf(IncompleteResponse);
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThanOrEqual(50_000);
  await gone;
});

test("a body shorter than its Content-Length is broken", async () => {
  for (const head of ["content-length: 100\r\n\r\nabc", "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"]) {
    const { port } = await receiveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\n${head}`));
    const answer = expectResponse(await send({ url: `http://127.0.0.1:${port}/` }));
    expect(await wholeBody(answer, 1024)).toMatchObject({ kind: "broken" });
  }
});

test("a compressed response is not decompressed, so it cannot grow", async () => {
  const packed = Bun.gzipSync(new Uint8Array(1_000_000));
  const { port } = receive(() => new Response(packed, { headers: { "content-encoding": "gzip" } }));
  const answer = expectResponse(await send({ url: `http://127.0.0.1:${port}/` }));
  expect(await wholeBody(answer, 10_000)).toEqual(Buffer.from(packed));
});

test("stopping ends open requests in headers and body, and starts no others", async () => {
  const silent = await receiveRaw(() => {});
  const server = await receiveRaw((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nso far"));
  const stop = new AbortController();
  const waiting = send({ url: `http://127.0.0.1:${silent.port}/`, stop: stop.signal });
  const answer = expectResponse(await send({ url: `http://127.0.0.1:${server.port}/`, stop: stop.signal }));
  stop.abort();
  const stopped: Failure = { failed: "stopped", kind: "stopped" };
  expect(await waiting).toEqual(stopped);
  expect(await wholeBody(answer, 1024)).toEqual(stopped);
  await server.gone;
  const { port, seen } = receive(() => new Response());
  expect(await send({ url: `http://127.0.0.1:${port}/`, stop: stop.signal })).toEqual(stopped);
  expect(seen).toEqual([]);
});
