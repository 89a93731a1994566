import { expect, test } from "bun:test";
import { startOwned } from "./owner";

test("a blog is created from the switcher and then selected", async () => {
  const owned = await startOwned();
  expect(await (await owned.browser.get("/admin/blogs/ada")).text()).toContain('href="/admin/blogs/new"');
  const made = await owned.browser.post("/admin/blogs/new", {
    title: "Kitchen Garden",
    slug: "",
    domain: "Garden.example.org",
  });
  expect(made.headers.get("location")).toBe("/admin/blogs/kitchen-garden");
  expect((await owned.api("GET", "/blogs/2")).body.blog).toMatchObject({
    title: "Kitchen Garden",
    url: "http://garden.example.org/",
  });
  const first = await (await owned.browser.get("/admin/blogs/kitchen-garden")).text();
  expect(first).toContain("Write your first post");
  expect(first).not.toContain('class="toast"');
  expect((await owned.browser.get("/admin")).headers.get("location")).toBe("/admin/blogs/kitchen-garden");
});

test("an error is reported at its field, with the typed value, and creates nothing", async () => {
  const owned = await startOwned();
  const refused = await owned.browser.post("/admin/blogs/new", { title: " ", slug: "ada", domain: "a b" });
  expect(refused.status).toBe(422);
  const page = await refused.text();
  for (const fault of [
    "Title must not be empty.",
    "Slug is already used by another blog.",
    "Domain must be a",
  ])
    expect(page).toContain(fault);
  expect(page).toContain('value="a b"');
  expect((await owned.api("GET", "/info")).body.blogs).toHaveLength(1);
});

test("no blog can have the slug of this page", async () => {
  const owned = await startOwned();
  const named = await owned.browser.post("/admin/blogs/new", { title: "Diary", slug: "new" });
  expect(await named.text()).toContain("Slug is an address of the admin.");
  const titled = await owned.browser.post("/admin/blogs/new", { title: "New" });
  expect(titled.headers.get("location")).toBe("/admin/blogs/new-2");
  const moved = await owned.browser.post("/admin/blogs/ada/settings/address", { slug: "new", domain: "" });
  expect(moved.status).toBe(422);
});

test("an account without a blog can create one; a signed-out browser is redirected to sign in", async () => {
  const owned = await startOwned();
  const browser = await owned.browserOf(owned.newAccount("eve@example.com"));
  expect(await (await browser.get("/admin")).text()).toContain('href="/admin/blogs/new"');
  await browser.post("/admin/blogs/new", { title: "Eve" });
  expect((await browser.get("/admin/blogs/eve")).status).toBe(200);
  expect((await owned.browser.get("/admin/blogs/eve")).status).toBe(403);
  owned.browser.cookies.clear();
  const out = await owned.browser.get("/admin/blogs/new");
  expect(out.headers.get("location")).toBe("/auth/sign-in?next=%2Fadmin%2Fblogs%2Fnew");
});
