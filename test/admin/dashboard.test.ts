import { describe, expect, test } from "bun:test";
import { hashPassword, setPassword } from "../../src/accounts/passwords";
import { blogs } from "../../src/database/schema";
import { browserAt, fieldsIn } from "../support/cookie-browser";
import { startPlaten } from "../support/platen";

const WORDS = { email: "ada@example.com", password: "a long enough one" };

async function startOwned() {
  const at = startPlaten();
  setPassword(at.platen, at.account, await hashPassword(WORDS.password));
  return { ...at, browser: browserAt(at.platen.config.url, at.fetch) };
}

describe("the page for the owner", () => {
  test("is where signing in leads, says who is signed in, and links to the blogs and to how to write", async () => {
    const at = await startOwned();
    at.newBlog({ title: "Garden", slug: "garden" });
    const token = fieldsIn(await (await at.browser.get("/auth/sign-in")).text()).token as string[];
    const entered = await at.browser.post("/auth/sign-in", { ...WORDS, token });
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/admin"]);
    const answer = await at.browser.get("/admin");
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    for (const said of ["ada@example.com", "http://blog.test/@garden/", "/api/docs", "platen key add"])
      expect(page).toContain(said);
    expect((await at.browser.get("/auth/sign-in")).headers.get("location")).toBe("/admin");
  });

  test("says how to make a blog to an account that has none", async () => {
    const at = await startOwned();
    at.platen.db
      .update(blogs)
      .set({ accountId: at.newAccount("eve@example.com").id })
      .run();
    await at.browser.get("/auth/sign-in");
    await at.browser.post("/auth/sign-in", WORDS, { "sec-fetch-site": "same-origin" });
    const page = await (await at.browser.get("/admin")).text();
    expect(page).toContain("platen blog add --account YOU --title TITLE");
    expect(page).not.toContain("Your blog");
  });

  test("signs out, and is then closed to this browser", async () => {
    const at = await startOwned();
    await at.browser.get("/auth/sign-in");
    await at.browser.post("/auth/sign-in", WORDS, { "sec-fetch-site": "same-origin" });
    const { token, next } = fieldsIn(await (await at.browser.get("/admin")).text());
    const left = await at.browser.post("/auth/sign-out", {
      token: token as string[],
      next: next as string[],
    });
    expect([left.status, left.headers.get("location")]).toEqual([303, "/auth/sign-in?next=%2Fadmin"]);
    expect((await at.browser.get("/admin")).status).toBe(303);
  });

  test("signed out, every address below it leads to signing in, and back", async () => {
    const { fetch } = startPlaten();
    for (const path of ["/admin", "/admin/keys", "/admin/blogs/ada/posts?page=2"]) {
      const { status, headers } = await fetch(path);
      expect([status, headers.get("location")]).toEqual([
        303,
        `/auth/sign-in?${new URLSearchParams({ next: path })}`,
      ]);
    }
  });
});
