import { afterEach, describe, expect, test } from "bun:test";
import type { TestPlaten } from "../support/platen";
import { type Owned, startOwned } from "./owner";

const ADDRESS = "/admin/blogs/second/settings/address";
const servers: ReturnType<typeof Bun.serve>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

/** A second blog with a domain whose server calls `answer`. */
async function startWithDomain(
  answer: (at: TestPlaten, request: Request) => Response | Promise<Response>,
): Promise<Owned> {
  const owned = await startOwned();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => answer(owned, request) });
  servers.push(server);
  Object.assign(owned.platen.config, {
    url: `http://blog.test:${server.port}`,
    privateHosts: ["127.0.0.1"],
  });
  owned.newBlog({ slug: "second", domain: "127.0.0.1" });
  return owned;
}

/** The result that the page shows after a check. */
async function checkResult(owned: Owned): Promise<string> {
  const page = await (
    await owned.browser.post(ADDRESS, { do: "check" }, { "sec-fetch-site": "same-origin" })
  ).text();
  return /<p class="found[^>]*>([^<]*)/.exec(page)?.[1] ?? "nothing";
}

describe("a blog's address in the admin", () => {
  test("a domain is set with DNS records to copy, and removed; old URLs redirect", async () => {
    const owned = await startOwned();
    const send = (slug: string, domain: string) => owned.browser.post(ADDRESS, { slug, domain });
    owned.newBlog({ slug: "second" });
    expect((await send("second", "Third.Example.org")).headers.get("location")).toBe(ADDRESS);
    const shown = await (await owned.browser.get(ADDRESS)).text();
    expect(shown).toContain("third.example.org. CNAME blog.test.");
    expect(shown).toContain("third.example.org {\n\treverse_proxy 127.0.0.1:");
    expect((await owned.api("GET", "/blogs/2")).body.blog.url).toBe("http://third.example.org/");
    expect((await send("diary", "")).headers.get("location")).toBe("/admin/blogs/diary/settings/address");
    expect((await owned.fetch("http://third.example.org/")).headers.get("location")).toBe(
      "http://blog.test/@diary/",
    );
  });

  test.each([
    ["a wildcard", "*.example.org"],
    ["an empty label", "blog..org"],
    ["a path", "blog.example/c"],
    ["one word", "localhost"],
    ["too long for DNS", `${"long.".repeat(50)}example`],
  ])("a domain that is not a host name is rejected: %s", async (_, domain) => {
    const owned = await startOwned();
    owned.newBlog({ slug: "second" });
    const answer = await owned.browser.post(ADDRESS, { slug: "second", domain });
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining("must be a host name"),
    ]);
    expect((await owned.api("GET", "/blogs/2")).body.blog.url).toBe("http://blog.test/@second/");
  });

  test("if the base URL is an IP address, the suggested record is A or AAAA", async () => {
    for (const [url, record] of [
      ["http://203.0.113.5:4000", "blog.example.org. A 203.0.113.5"],
      ["http://[2001:db8::5]", "blog.example.org. AAAA 2001:db8::5"],
    ]) {
      const owned = await startOwned();
      owned.newBlog({ slug: "second" });
      Object.assign(owned.platen.config, { url });
      const browser = await owned.browserOf(owned.account);
      await browser.post(ADDRESS, { slug: "second", domain: "blog.example.org" });
      const shown = await (await browser.get(ADDRESS)).text();
      expect(shown).toContain(`>${record}</textarea>`);
    }
  });

  test("an error is reported at its field, with the typed value", async () => {
    const owned = await startOwned();
    owned.newBlog({ slug: "second" });
    const refused = await owned.browser.post(ADDRESS, { slug: "ada", domain: "blog.test" });
    expect(refused.status).toBe(422);
    const page = await refused.text();
    expect(page).toContain("Slug is already used by another blog.");
    expect(page).toContain("Domain is the host of the base address");
    expect(page).toContain('value="blog.test"');
  });

  test("a domain that points to this server is recognized by a signed response", async () => {
    const owned = await startWithDomain((at, request) => at.fetch(request.url, request));
    expect(await checkResult(owned)).toStartWith("Readers can reach the blog at http://127.0.0.1:");
  });

  test("a domain that points to another server is reported", async () => {
    const owned = await startWithDomain(() => new Response("Hello"));
    expect(await checkResult(owned)).toMatch(
      /^127\.0\.0\.1 responds with status 200, but is not this server\. 127\.0\.0\.1 resolves to 127\.0\.0\.1/,
    );
  });

  test("a domain that no server answers, and one that does not resolve, are reported", async () => {
    const owned = await startWithDomain(() => new Response(""));
    await servers[0]?.stop(true);
    expect(await checkResult(owned)).toContain("Nothing responds at 127.0.0.1: ");
    await owned.browser.post(
      ADDRESS,
      { slug: "second", domain: "nowhere.invalid" },
      { "sec-fetch-site": "same-origin" },
    );
    expect(await checkResult(owned)).toStartWith("nowhere.invalid does not resolve");
  });

  test("the check does not connect to private addresses unless they are allowed", async () => {
    const requests: string[] = [];
    const owned = await startWithDomain((_, request) => {
      requests.push(request.url);
      return new Response("");
    });
    Object.assign(owned.platen.config, { privateHosts: [] });
    expect(await checkResult(owned)).toContain(
      "cannot be reached from this server: 127.0.0.1 is a loopback address",
    );
    expect(requests).toEqual([]);
  });

  test("the signed response exists only for requests of the check", async () => {
    const owned = await startOwned();
    expect((await owned.fetch("/.well-known/platen/short")).status).toBe(404);
    expect((await owned.fetch(`/.well-known/platen/${"x".repeat(65)}`)).status).toBe(404);
    const [one, other] = await Promise.all([startOwned(), startOwned()]);
    const question = `/.well-known/platen/${"x".repeat(43)}`;
    const proofs = await Promise.all([one, other].map(async (at) => (await at.fetch(question)).text()));
    expect(proofs[0]).not.toBe(proofs[1] as string);
  });
});
