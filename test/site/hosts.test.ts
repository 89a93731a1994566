import { afterEach, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Account } from "../../src/accounts/accounts";
import { startSession } from "../../src/accounts/sessions";
import { platenApp } from "../../src/app";
import { moveBlog } from "../../src/blogs/blog-addresses";
import { startPlaten, type TestPlaten } from "../support/platen";

const servers: { stop(now: boolean): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

/** Serves over a socket, because only then the client's address is known. */
function serveOnPort(at: TestPlaten): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.fetch(request) });
  const app = platenApp(at.platen, server);
  servers.push(server);
  return server.port as number;
}

function exchange(port: number, request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(port, "127.0.0.1", () => socket.write(request));
  socket.on("data", (chunk) => {
    answer += chunk;
    if (answer.includes("</html>")) socket.destroy();
  });
  socket.on("close", () => resolve(answer));
  socket.on("error", reject);
  return promise;
}

test("a local proxy may set the host", async () => {
  const at = startPlaten();
  at.newBlog({ title: "Shop", domain: "shop.test" });
  const answer = await fetch(`http://127.0.0.1:${serveOnPort(at)}/`, {
    headers: { "x-forwarded-host": "Shop.test:443" },
  });
  expect(await answer.text()).toContain("<title>Shop</title>");
});

test("X-Forwarded-Host is ignored if it is turned off", async () => {
  const at = startPlaten({ forwardedHost: false });
  at.newBlog({ title: "Shop", domain: "shop.test" });
  const base = `http://127.0.0.1:${serveOnPort(at)}/`;
  const titleFor = async (headers: Record<string, string>) =>
    /<title>([^<]*)/.exec(await (await fetch(base, { headers })).text())?.[1];
  expect(await titleFor({ host: "blog.test", "x-forwarded-host": "shop.test" })).toBe("Ada&#x27;s Blog");
  expect(await titleFor({ host: "shop.test", "x-forwarded-host": "blog.test" })).toBe("Shop");
});

test("several Host headers are rejected, also for a cached page", async () => {
  const at = startPlaten();
  at.newBlog({ title: "Shop", domain: "shop.test" });
  const port = serveOnPort(at);
  const exchangeWithHosts = (path: string, hosts: string[]) =>
    exchange(
      port,
      `GET ${path} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join("")}Connection: close\r\n\r\n`,
    );
  for (const path of ["/", "/api/v1/info", "/admin", "/livez"]) {
    await exchangeWithHosts(path, ["blog.test"]);
    for (const hosts of [["blog.test", "shop.test"], ["blog.test", "blog.test"], ["blog.test, shop.test"]])
      expect([path, hosts, await exchangeWithHosts(path, hosts)]).toEqual([
        path,
        hosts,
        expect.stringMatching(/^HTTP\/1.1 400 [\s\S]*Host must be sent once/),
      ]);
  }
});

test("a request with an invalid Host header, or none, gets the home blog", async () => {
  const at = startPlaten();
  await at.api("POST", "/posts", { post: { title: "Tea", content: "x", status: "published" } });
  const port = serveOnPort(at);
  const headers = ["1.1\r\nHost: a b", "1.1\r\nHost: %zz:99999", "1.1\r\nHost: x/y", "1.1\r\nHost:", "1.0"];
  for (const header of headers) {
    const exchangeWithHeader = (path: string) => exchange(port, `GET ${path} HTTP/${header}\r\n\r\n`);
    expect(await exchangeWithHeader("/")).toContain("<title>Ada&#x27;s Blog</title>");
    expect(await exchangeWithHeader("/tea?a=/b")).toContain("<title>Tea – Ada&#x27;s Blog</title>");
  }
});

test("unknown query parameters do not create another page, and percent-encoded letters are decoded", async () => {
  const { api, fetch } = startPlaten();
  await api("POST", "/posts", { post: { title: "Plain letters", content: "x", status: "published" } });
  const plain = await (await fetch("/archive")).text();
  for (const query of ["utm_source=elsewhere", "q=a word that only the search reads"])
    expect(await (await fetch(`/archive?${query}`)).text()).toBe(plain);
  expect(await (await fetch("/%61rchive")).text()).toBe(plain);
  expect((await fetch("/plain%2Dletters")).status).toBe(200);
  expect((await fetch("/%252e%252e/archive")).status).toBe(404);
});

test("every response has headers that restrict what browsers may do with it", async () => {
  const { fetch, newBlog } = startPlaten();
  newBlog({ slug: "moved", domain: "moved.test" });
  const paths = [
    "/",
    "/nope",
    "/@moved/",
    "/assets/x.css",
    "/media/x/y.jpg",
    "/feed.xml",
    "/livez",
    "/api/v1/info",
    "/api/docs",
    "/micropub",
    "/auth/token",
    "/setup",
  ];
  for (const path of paths) {
    const { headers } = await fetch(path);
    expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
    for (const name of ["referrer-policy", "content-security-policy"])
      expect([path, headers.has(name)]).toEqual([path, true]);
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'/);
  }
});

test("HSTS is sent if PLATEN_URL is https, without subdomains", async () => {
  const secure = startPlaten({ url: "https://blog.test" });
  const plain = startPlaten();
  for (const path of ["/", "/nope", "/feed.xml", "/livez", "/api/v1/info", "/auth/sign-in", "/admin"]) {
    const hintFor = async ({ fetch }: typeof plain) =>
      (await fetch(path)).headers.get("strict-transport-security");
    expect([path, await hintFor(secure)]).toEqual([path, "max-age=15552000"]);
    expect([path, await hintFor(plain)]).toEqual([path, null]);
  }
});

test("a draft's URL is shown only to its signed-in owner", async () => {
  const started = startPlaten();
  const { api, fetch, platen, account, newAccount } = started;
  await api("POST", "/posts", { post: { title: "Not yet", content: "Half a thought" } });
  const as = async (who: Account) => {
    const cookie = `platen_session=${startSession(platen, who)}`;
    return await fetch("/not-yet", { headers: { cookie } });
  };
  const own = await as(account);
  expect([own.status, own.headers.get("cache-control"), own.headers.get("x-robots-tag")]).toEqual([
    200,
    "no-store",
    "noindex, nofollow",
  ]);
  expect(await own.text()).toContain("Half a thought");
  expect((await as(newAccount("mallory@example.com"))).status).toBe(404);
  expect((await fetch("/not-yet")).status).toBe(404);
});

test("URLs on a former domain of a blog redirect, until another blog has that domain", async () => {
  const at = startPlaten();
  const { platen, api, fetch, newBlog } = at;
  const second = newBlog({ slug: "second", domain: "second.test" });
  await api("POST", "/posts", {
    blog_id: second.id,
    post: { title: "Here", status: "published", content: "x" },
  });
  await api("POST", "/posts", { post: { title: "Home", status: "published", content: "x" } });
  await fetch("http://blog.test/");
  moveBlog(platen, second, { domain: "" });
  for (const path of ["/", "/here", "/archive"]) {
    const answer = await fetch(`http://second.test${path}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([301, `http://blog.test/@second${path}`]);
  }
  newBlog({ slug: "third", domain: "second.test" });
  expect((await fetch("http://second.test/")).status).toBe(200);
  expect((await fetch("http://second.test/here")).status).toBe(404);
});

test("a dot at the end of a host is ignored", async () => {
  const at = startPlaten();
  const second = at.newBlog({ slug: "second", domain: "second.test." });
  expect(second.domain).toBe("second.test");
  expect(await (await at.fetch("http://second.test./")).text()).toContain(second.title);
  expect(() => at.newBlog({ slug: "third", domain: "blog.test." })).toThrow("which the home blog uses");
});
