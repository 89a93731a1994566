import { afterEach, describe, expect, mock, spyOn, test } from "bun:test";
import { promises as dns } from "node:dns";
import type { Account } from "../../src/accounts/accounts";
import { makeAdmin } from "../../src/accounts/people-and-invitations";
import { moveBlog } from "../../src/blogs/blog-addresses";
import { removeBlog } from "../../src/upkeep/removal/removal";
import { type Owned, startOwned } from "../admin/owner";
import type { Browser } from "../support/cookie-browser";

const ADDRESS = "/admin/blogs/garden/settings/address";
const servers: ReturnType<typeof Bun.serve>[] = [];
afterEach(() => {
  mock.restore();
  for (const server of servers.splice(0)) server.stop(true);
});

interface WithAuthor extends Owned {
  bob: Account;
  /** Browser of Bob, an author with the blog "garden". */
  bobs: Browser;
}

async function startWithAuthor(): Promise<WithAuthor> {
  const owned = await startOwned();
  const bob = owned.newAccount("bob@example.com");
  owned.newBlog({ title: "Garden", slug: "garden" }, bob);
  return { ...owned, bob, bobs: await owned.browserOf(bob) };
}

const isKnown = async (at: Owned, domain: string) =>
  (await at.fetch(`/.well-known/platen-domain?domain=${domain}`)).status === 200;

describe("a former slug or domain of another account's blog", () => {
  test("is rejected for an author with a reason, and can be assigned by an admin", async () => {
    const at = await startWithAuthor();
    const move = (changes: { slug?: string; domain?: string }) => moveBlog(at.platen, at.blog, changes);
    move({ slug: "ada", domain: "tea.example" });
    Object.assign(at.blog, { domain: "tea.example" });
    move({ slug: "lovelace", domain: "" });
    Object.assign(at.blog, { slug: "lovelace", domain: null });

    const moved = await at.bobs.post(ADDRESS, { slug: "ada", domain: "tea.example" });
    expect(moved.status).toBe(422);
    const page = await moved.text();
    expect(page).toContain("Slug was used by another blog before; only an admin can reassign it.");
    expect(page).toContain("Domain was used by another blog before; only an admin can reassign it.");
    const added = await at.bobs.post("/admin/blogs/new", {
      title: "Ada",
      slug: "ada",
      domain: "tea.example",
    });
    expect([added.status, await added.text()]).toEqual([422, expect.stringContaining("only an admin")]);
    expect(
      (await at.bobs.post("/admin/blogs/new", { title: "Ada", slug: "", domain: "" })).headers.get(
        "location",
      ),
    ).toBe("/admin/blogs/ada-2");
    const admin = await at.browser.post("/admin/blogs/new", {
      title: "Ada",
      slug: "ada",
      domain: "tea.example",
    });
    expect(admin.headers.get("location")).toBe("/admin/blogs/ada");
  });

  test("can be used again by blogs of the same account", async () => {
    const at = await startWithAuthor();
    await at.bobs.post(ADDRESS, { slug: "meadow", domain: "" });
    expect(
      (await at.bobs.post("/admin/blogs/new", { title: "Garden", slug: "garden" })).headers.get("location"),
    ).toBe("/admin/blogs/garden");
  });

  test("stays rejected for an author after the blog was removed", async () => {
    const at = await startWithAuthor();
    const tea = at.newBlog({ slug: "tea", domain: "tea.example" });
    await removeBlog(at.platen, tea);
    const answer = await at.bobs.post(ADDRESS, { slug: "tea", domain: "tea.example" });
    expect(answer.status).toBe(422);
    expect((await at.fetch("/@tea/")).status).toBe(404);
    expect(at.newBlog({ slug: "tea", domain: "tea.example" }).slug).toBe("tea");
  });
});

describe("the domain of an author's blog", () => {
  test.each([
    ["203.0.113.7", "must be a host name, not an IP address"],
    ["0x7f.1", "must be a host name, not an IP address"],
    ["blog.test", "is the host of the base address"],
    ["www.blog.test", "must not be a subdomain of blog.test"],
    ["app.localhost", "must be a public name"],
    ["printer.local", "must be a public name"],
    ["db.internal", "must be a public name"],
    ["localhost", "must be a host name"],
  ])("cannot be %s", async (domain, says) => {
    const at = await startWithAuthor();
    const answer = await at.bobs.post(ADDRESS, { slug: "garden", domain });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(says)]);
  });

  test("is used only after a check has shown that it points to this server", async () => {
    const at = await startWithAuthor();
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => at.fetch(request.url, request),
    });
    servers.push(server);
    Object.assign(at.platen.config, { url: `http://blog.test:${server.port}`, privateHosts: ["127.0.0.1"] });
    const bobs = await at.browserOf(at.bob);
    const lookup = spyOn(dns, "lookup").mockRejectedValue(Object.assign(new Error(), { code: "ENOTFOUND" }));

    const shown = await (await bobs.post(ADDRESS, { slug: "garden", domain: "garden.example" })).text();
    expect(shown).toContain("garden.example is not in use yet");
    // The page after saving shows the reason without a check.
    expect(shown).toMatch(/<p class="found wrong" role="status"[^>]*>Saved\. garden\.example has no public/);
    expect(shown).toContain("garden.example. CNAME blog.test.");
    expect(shown).toContain("Check again");
    expect(await isKnown(at, "garden.example")).toBe(false);
    expect(await (await at.fetch("http://garden.example/")).text()).toContain("Ada&#x27;s Blog");
    expect((await at.fetch(`http://blog.test:${server.port}/@garden/`)).status).toBe(200);

    // Authors cannot reach loopback addresses, so make Bob an admin for the check.
    makeAdmin(at.platen, at.bob, at.account);
    lookup.mockImplementation((async () => [{ address: "127.0.0.1", family: 4 }]) as never);
    const checked = await (await bobs.post(ADDRESS, { do: "check" })).text();
    expect(checked).toContain("Readers can reach the blog at http://garden.example:");
    expect(await isKnown(at, "garden.example")).toBe(true);
    expect((await at.fetch(`http://blog.test:${server.port}/@garden/`)).headers.get("location")).toBe(
      `http://garden.example:${server.port}/`,
    );
  });

  test("does not delay a new slug, to which the menu of the next page leads", async () => {
    const at = await startWithAuthor();
    spyOn(dns, "lookup").mockRejectedValue(Object.assign(new Error(), { code: "ENOTFOUND" }));
    const shown = await (await at.bobs.post(ADDRESS, { slug: "herbs", domain: "build.example" })).text();
    expect(shown).toContain("build.example is not in use yet");
    expect(shown).toContain('href="/admin/blogs/herbs/posts"');
    expect(shown).not.toContain('href="/admin/blogs/garden/');
  });

  test("gets the same message if it is private and if it does not exist", async () => {
    const at = await startWithAuthor();
    const lookup = spyOn(dns, "lookup").mockRejectedValue(Object.assign(new Error(), { code: "ENOTFOUND" }));
    await at.bobs.post(ADDRESS, { slug: "garden", domain: "build.example" });
    const checkResult = async () => {
      const page = await (await at.bobs.post(ADDRESS, { do: "check" })).text();
      return /<p class="found[^>]*>([^<]*)/.exec(page)?.[1];
    };
    const forUnknownName = await checkResult();
    lookup.mockImplementation((async () => [{ address: "10.0.0.5", family: 4 }]) as never);
    expect(await checkResult()).toBe(forUnknownName as string);
    expect(forUnknownName).toStartWith("build.example has no public address");
  });

  test("is not used if it redirects to another host of this server", async () => {
    const at = await startWithAuthor();
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        const url = new URL(request.url);
        if (url.hostname === "blog.test") return at.fetch(request.url, request);
        return Response.redirect(`http://blog.test:${url.port}${url.pathname}`);
      },
    });
    servers.push(server);
    Object.assign(at.platen.config, { url: `http://blog.test:${server.port}`, privateHosts: ["127.0.0.1"] });
    const bobs = await at.browserOf(at.bob);
    spyOn(dns, "lookup").mockImplementation((async () => [{ address: "127.0.0.1", family: 4 }]) as never);
    await bobs.post(ADDRESS, { slug: "garden", domain: "elsewhere.example" });
    makeAdmin(at.platen, at.bob, at.account);
    const checked = await (await bobs.post(ADDRESS, { do: "check" })).text();
    expect(checked).toContain("elsewhere.example redirects to blog.test instead of this server.");
    expect(await isKnown(at, "elsewhere.example")).toBe(false);
  });

  test("can be allowed by an admin without a check, and blocks no other account", async () => {
    const at = await startWithAuthor();
    for (const domain of ["garden.invalid", "wished.invalid"])
      expect((await at.bobs.post(ADDRESS, { slug: "garden", domain })).status).toBe(200);
    const person = `/admin/people/${at.bob.id}`;
    expect(await (await at.browser.get(person)).text()).toContain("requests wished.invalid");
    const blog = String((await at.api("GET", "/info")).body.blogs[0].id + 1);
    const allow = (domain: string) => at.browser.post(person, { do: "allow-domain", blog, domain });
    expect((await allow("garden.invalid")).status).toBe(409);
    expect((await allow("wished.invalid")).status).toBe(303);
    expect(await isKnown(at, "wished.invalid")).toBe(true);

    await at.bobs.post(ADDRESS, { slug: "garden", domain: "tea.invalid" });
    expect(await isKnown(at, "wished.invalid")).toBe(true);
    at.newBlog({ slug: "tea", domain: "tea.invalid" });
    expect((await allow("tea.invalid")).status).toBe(422);
  });

  test("is used at once if the blog belongs to an admin", async () => {
    const at = await startWithAuthor();
    at.newBlog({ slug: "tea" });
    await at.browser.post("/admin/blogs/tea/settings/address", { slug: "tea", domain: "tea.invalid" });
    expect(await isKnown(at, "tea.invalid")).toBe(true);
  });
});
