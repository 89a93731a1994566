import { afterEach, expect, jest, test } from "bun:test";
import { createServer } from "node:net";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { AN_HOUR, receive, resolverOf, textOf } from "./receivers";

afterEach(() => jest.useRealTimers());

type Options = Parameters<typeof guardedClient>[1];

function startClient(privateHosts: string[], options: Options = {}) {
  const client = guardedClient({ privateHosts }, { ...options, keepsConnections: true });
  return async (url: string, isForAdmin = true) => {
    const outcome = await client.send({ method: "POST", url, body: "x", within: AN_HOUR, isForAdmin });
    return "failed" in outcome ? outcome : await textOf(outcome);
  };
}

test("consecutive requests share a connection, also to another path", async () => {
  // Keeps idle connections open.
  jest.useFakeTimers();
  const { port, seen } = receive(() => new Response("there"));
  const post = startClient(["127.0.0.1"]);
  for (const path of ["a", "b", "c"]) expect(await post(`http://127.0.0.1:${port}/${path}`)).toBe("there");
  expect(seen.map(({ path }) => path)).toEqual(["/a", "/b", "/c"]);
  expect(new Set(seen.map(({ peer }) => peer)).size).toBe(1);
});

test("a connection is reused only for its host name and checked address", async () => {
  jest.useFakeTimers();
  const here = receive(() => new Response("here"));
  receive(() => new Response("moved"), { hostname: "127.0.0.2", port: here.port });
  const names = { "build.lan": ["127.0.0.1"], "other.lan": ["127.0.0.1"] };
  let lookups = 0;
  const resolve = (host: string) => {
    lookups++;
    return resolverOf(names)(host);
  };
  const post = startClient(["127.0.0.0/8"], { resolve });
  const ask = (name: string) => post(`http://${name}:${here.port}/`);
  expect([await ask("build.lan"), await ask("build.lan"), await ask("other.lan")]).toEqual(
    Array(3).fill("here"),
  );
  const [one, two, other] = here.seen.map(({ peer }) => peer);
  expect(two).toBe(one as number);
  expect(other).not.toBe(one as number);
  expect(lookups).toBe(2);

  names["build.lan"] = ["127.0.0.2"];
  jest.advanceTimersByTime(1000);
  expect(await ask("build.lan")).toBe("moved");
});

test("a connection of an admin is not reused for others", async () => {
  const { port, seen } = receive(() => new Response("inner"));
  const post = startClient(["build.lan"], { resolve: resolverOf({ "build.lan": ["127.0.0.1"] }) });
  const url = `http://build.lan:${port}/`;
  expect(await post(url)).toBe("inner");
  expect(await post(url, false)).toMatchObject({ kind: "refused" });
  expect(seen).toHaveLength(1);
});

test("proxy settings of the environment are ignored", async () => {
  const proxy = receive(() => new Response("proxied"));
  const { port } = receive(() => new Response("direct"));
  process.env.http_proxy = process.env.HTTP_PROXY = `http://127.0.0.1:${proxy.port}`;
  try {
    expect(await startClient(["127.0.0.1"])(`http://127.0.0.1:${port}/`)).toBe("direct");
  } finally {
    delete process.env.http_proxy;
    delete process.env.HTTP_PROXY;
  }
});

test("if a reused connection is closed, the request is sent once more on another one", async () => {
  let connections = 0;
  let isOpen = true;
  /** Answers the first request of a connection, and closes it at the second. */
  const server = createServer((socket) => {
    connections++;
    let requests = 0;
    socket.on("error", () => {});
    socket.on("data", () => {
      if (isOpen && ++requests === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      else socket.destroy();
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as { port: number };
  const post = startClient(["127.0.0.1"]);
  const url = `http://127.0.0.1:${port}/`;
  expect([await post(url), await post(url), connections]).toEqual(["ok", "ok", 2]);
  expect([await post(url), connections]).toEqual(["ok", 3]);
  isOpen = false;
  expect(await post(url)).toMatchObject({ kind: "broken" });
  expect(connections).toBe(4);
  server.close();
});
