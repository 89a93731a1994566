import { describe, expect, test } from "bun:test";
import { fieldsIn } from "../support/cookie-browser";
import { startPlaten } from "../support/platen";
import { startOwned } from "./owner";

/** Status and location of a response. */
const redirectOf = ({ status, headers }: Response) => [status, headers.get("location")];

describe("access", () => {
  test("a signed-out browser is redirected to sign in and then back", async () => {
    const { fetch } = startPlaten();
    for (const path of ["/admin", "/admin/keys", "/admin/blogs/ada/posts?page=2", "/admin/blogs/nowhere"])
      for (const method of ["GET", "POST"])
        expect(redirectOf(await fetch(path, { method }))).toEqual([
          303,
          `/auth/sign-in?${new URLSearchParams({ next: path })}`,
        ]);
  });

  test("another account's blog returns 403, also for admins; an unknown one 404", async () => {
    const at = await startOwned();
    const eve = at.newAccount("eve@example.com");
    at.newBlog({ slug: "eves" }, eve);
    const eves = await at.browserOf(eve);
    expect((await at.browser.get("/admin/blogs/eves")).status).toBe(403);
    expect((await eves.get("/admin/blogs/ada")).status).toBe(403);
    expect((await eves.get("/admin/blogs/eves")).status).toBe(200);
    expect((await eves.get("/admin/blogs/nowhere")).status).toBe(404);
    expect(await (await eves.get("/admin/blogs/eves")).text()).not.toContain("/admin/blogs/ada");
  });

  test("the rail shows instance pages to admins only, and lists the keyboard shortcuts", async () => {
    const at = await startOwned();
    const eve = at.newAccount("eve@example.com");
    at.newBlog({ slug: "eves" }, eve);
    const jobs = await (await at.browser.get("/admin/jobs")).text();
    const rail = (page: string) =>
      page.slice(page.indexOf('id="rail"'), page.indexOf("</nav>", page.indexOf('id="rail"')));
    const entriesIn = (page: string) =>
      [...rail(page).matchAll(/<\/svg>([^<]+)<\/?[a-z]/g)].map(([, label]) => label).slice(2);
    expect(jobs).toMatch(/href="\/admin\/jobs"[^>]* aria-current="page"/);
    expect(entriesIn(jobs).slice(6)).toEqual(["Your account", "About", "People", "Jobs", "Backups", "Mail"]);
    const home = await (await at.browser.get("/admin/blogs/ada")).text();
    const closed = ["Home", "Posts", "Media", "Komments", "Reach", "Settings", "Your account", "About"];
    expect(entriesIn(home)).toEqual(closed);
    const topics = await (await at.browser.get("/admin/blogs/ada/topics")).text();
    expect(entriesIn(topics)).toEqual(closed.toSpliced(2, 0, "Pages", "Topics"));
    expect(home).toContain('<a href="/admin/backups" data-keys="g b">Backups</a>');
    const eves = await (await (await at.browserOf(eve)).get("/admin/jobs")).text();
    expect(eves).toMatch(/href="\/admin\/jobs"[^>]* aria-current="page"/);
    for (const path of ["about", "backups", "people"]) expect(eves).not.toContain(`/admin/${path}"`);
  });

  test("signing out ends access from this browser", async () => {
    const { browser } = await startOwned();
    const page = await (await browser.get("/admin/blogs/ada")).text();
    expect(page).toContain("Sign out");
    expect(redirectOf(await browser.post("/auth/sign-out", fieldsIn(page)))).toEqual([
      303,
      "/auth/sign-in?next=%2Fadmin",
    ]);
    expect((await browser.get("/admin")).headers.get("location")).toBe("/auth/sign-in?next=%2Fadmin");
  });
});

describe("the layout", () => {
  test("a page below another has one link up to it above its heading; top-level pages have none", async () => {
    const at = await startOwned();
    const { id } = (await at.api("POST", "/posts", { post: { title: "Tea & milk" } })).body.post;
    const eve = at.newAccount("eve@example.com");
    const blog = "/admin/blogs/ada";
    const above: Record<string, string> = {
      "/admin/account/codes": "/admin/account Your account",
      "/admin/account/passkeys": "/admin/account Your account",
      "/admin/account/log": "/admin/account Your account",
      "/admin/people/log": "/admin/people People",
      [`/admin/people/${eve.id}`]: "/admin/people People",
      "/admin/apps": "/admin/keys API settings",
      "/admin/apps/write": "/admin/apps Apps",
      "/admin/jobs": "/admin/about About",
      "/admin/backups": "/admin/about About",
      [`${blog}/posts/trash`]: `${blog}/posts Posts`,
      [`${blog}/posts/${id}/revisions`]: `${blog}/posts/${id} Tea &amp; milk`,
      [`${blog}/media/alt-text`]: `${blog}/media Media`,
      [`${blog}/komments/blocked`]: `${blog}/komments Komments`,
    };
    for (const [path, expected] of Object.entries(above)) {
      const page = await (await at.browser.get(path)).text();
      const up = /<p class="up"><a href="([^"]*)">([^<]*)<\/a><\/p>\s*(?:<div class="page-head">)?<h1>/.exec(
        page,
      );
      expect(up?.slice(1).join(" ")).toBe(expected);
      expect(page.match(/class="up"/g)).toHaveLength(1);
    }
    for (const path of ["/admin/account", "/admin/keys", "/admin/people", `${blog}/posts`])
      expect(await (await at.browser.get(path)).text()).not.toContain('class="up"');
    const eves = await (await (await at.browserOf(eve)).get("/admin/jobs")).text();
    expect(eves).not.toContain('class="up"');
  });

  test("/admin redirects to the blog used last in this browser, or else to the first", async () => {
    const { browser, newBlog } = await startOwned();
    newBlog({ slug: "garden" });
    expect(redirectOf(await browser.get("/admin"))).toEqual([303, "/admin/blogs/ada"]);
    await browser.get("/admin/blogs/garden");
    expect(redirectOf(await browser.get("/admin"))).toEqual([303, "/admin/blogs/garden"]);
  });

  test("/admin redirects to the first blog if the last one was removed or renamed", async () => {
    const at = await startOwned();
    at.newBlog({ slug: "garden" });
    await at.browser.get("/admin/blogs/garden");
    at.platen.db.$client.run("UPDATE blogs SET slug = 'orchard' WHERE slug = 'garden'");
    expect(redirectOf(await at.browser.get("/admin"))).toEqual([303, "/admin/blogs/ada"]);
  });

  test("an account without a blog sees how to create one", async () => {
    const at = await startOwned();
    const browser = await at.browserOf(at.newAccount("eve@example.com"));
    const answer = await browser.get("/admin");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("platen blog add --account YOU --title TITLE");
  });

  test("every page, also with an error, allows scripts and styles from this host only and is not cached", async () => {
    const { browser } = await startOwned();
    for (const path of ["/admin/blogs/ada", "/admin/blogs/nowhere", "/admin/nothing"]) {
      const { headers } = await browser.get(path);
      const policy = headers.get("content-security-policy")?.split("; ") ?? [];
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy.join()).not.toContain("unsafe");
      expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
    }
  });

  test("a message appears on the next page once; forged messages are ignored", async () => {
    const { browser } = await startOwned();
    const toast = Buffer.from(JSON.stringify({ message: "Your prize", undo: { action: "/", fields: {} } }));
    for (const planted of [toast.toString("base64url"), `${toast.toString("base64url")}.x`, "x.y", "%"]) {
      browser.cookies.set("platen_toast", planted);
      const page = await (await browser.get("/admin/blogs/ada")).text();
      expect(page).not.toContain("Your prize");
    }
    browser.cookies.delete("platen_toast");
    await browser.get("/admin/blogs/ada/posts/bulk?do=delete");
    const page = async () => (await browser.get("/admin/blogs/ada")).text();
    expect(await page()).toMatch(/role="status"><div class="toast"><p>Select at least one item\.</);
    expect(await page()).not.toContain("Select at least one item");
  });

  test("a blog without posts shows what to do first", async () => {
    const { browser, api } = await startOwned();
    expect(await (await browser.get("/admin/blogs/ada")).text()).toContain("Write your first post");
    await api("POST", "/posts", { post: { title: "Rain" } });
    const page = await (await browser.get("/admin/blogs/ada")).text();
    expect(page).not.toContain("Write your first post");
    expect(page).toContain("Rain");
  });

  test("each post shows its state, in the blog's time zone", async () => {
    const at = await startOwned();
    await at.api("POST", "/posts", {
      post: { title: "Soon", status: "published", published_at: "2026-03-01T14:30Z" },
    });
    const page = async () =>
      (await (await at.browser.get("/admin/blogs/ada")).text()).replace(/<[^>]+>/g, "");
    expect(await page()).toContain("in 3 h");
    at.pass(3 * 60 * 60 * 1000);
    expect(await page()).toContain("Published: view Soon on the site30 min ago");
  });
});

test("a form sent after the session has ended redirects to sign in, then to the form's page", async () => {
  const { browser, platen } = await startOwned();
  const base = platen.config.url;
  browser.cookies.clear();
  const nextAfterSignIn = async (referer: string) => {
    const answer = await browser.post("/admin/blogs/ada/media/1/alt-text", {}, { referer });
    return new URL(answer.headers.get("location") as string, base).searchParams.get("next");
  };
  expect(await nextAfterSignIn(`${base}/admin/blogs/ada/media/alt-text?after=7-9`)).toBe(
    "/admin/blogs/ada/media/alt-text?after=7-9",
  );
  for (const elsewhere of ["https://evil.example/admin/keys", "no address", ""])
    expect(await nextAfterSignIn(elsewhere)).toBe("/admin/blogs/ada/media/1/alt-text");
});
