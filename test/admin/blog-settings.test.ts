import { describe, expect, test } from "bun:test";
import { page, post } from "../site/posting";
import { type Fields, fieldsIn } from "../support/cookie-browser";
import { type Owned, startOwned } from "./owner";

const SETTINGS = "/admin/blogs/ada/settings";

const read = async (owned: Owned, path = "") => (await owned.browser.get(SETTINGS + path)).text();
const save = (owned: Owned, path: string, fields: Record<string, string | string[]>) =>
  owned.browser.post(SETTINGS + path, fields);

/** Fields of a page's form as a browser sends them, with CRLF. */
async function formFields(owned: Owned, path: string): Promise<Fields> {
  const shown = await read(owned, path);
  const form = shown.slice(shown.indexOf(`<form method="post" action="${SETTINGS}`));
  const areas = form.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n([^<]*)</g);
  const texts = [...areas].map(([, name, text = ""]) => [name, text.replaceAll("\n", "\r\n")]);
  return { ...fieldsIn(form), ...Object.fromEntries(texts) };
}
const blogOf = async (owned: Owned) => (await owned.api("GET", "/blogs/1")).body.blog;

describe("a blog's settings in the admin", () => {
  test("saved settings appear on the site and in the API at once; fields not sent stay", async () => {
    const owned = await startOwned();
    const saved = await save(owned, "", { title: "Slow Water", description: "Seen from the ferry." });
    expect(saved.status).toBe(303);
    expect(saved.headers.get("location")).toBe(SETTINGS);
    await save(owned, "", { language: "pt-br", time_zone: "Europe/Lisbon" });
    await save(owned, "", { profiles: "https://social.example/@ada\n\nmailto:ada@example.com" });
    expect(await blogOf(owned)).toMatchObject({
      title: "Slow Water",
      description: "Seen from the ferry.",
      language: "pt-BR",
      time_zone: "Europe/Lisbon",
      profiles: ["https://social.example/@ada", "mailto:ada@example.com"],
    });
    const home = await page(owned, "/");
    expect(home).toContain('<html lang="pt-BR"');
    expect(home).toContain('<link rel="me" href="https://social.example/@ada">');
    expect(await read(owned)).toContain('value="Slow Water"');
    expect(await read(owned)).toContain('<option value="Europe/Lisbon">');
  });

  test("an error is reported at its field, with the typed value, and changes nothing", async () => {
    const owned = await startOwned();
    const refused = await save(owned, "", { language: "german", time_zone: "Berlin" });
    expect(refused.status).toBe(422);
    const shown = await refused.text();
    expect(shown).toContain("Language must be a language tag like en or pt-BR.");
    expect(shown).toContain("Time zone must be a name like Europe/Berlin.");
    expect(shown).toContain('value="german"');
    expect(shown).toContain('value="Berlin"');
    expect(await blogOf(owned)).toMatchObject({ language: "en", time_zone: "UTC" });
    expect((await save(owned, "", { profiles: "javascript:alert(1)" })).status).toBe(422);
    expect((await save(owned, "/reading", { posts_a_page: "many" })).status).toBe(422);
  });

  test("CSS with lines that would be removed is saved only after confirmation", async () => {
    const owned = await startOwned();
    const css = "/* mine */\na { color: teal }\n@import 'https://elsewhere.example/x.css';";
    const refused = await save(owned, "/look", { css });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("Line 3 was removed: @import may not be used.");
    expect((await blogOf(owned)).css).toBe("");
    await save(owned, "/look", { css, sure: "yes" });
    expect((await blogOf(owned)).css).toBe("a{color:teal}");
    const shown = await read(owned, "/look");
    expect(shown).toContain("/* mine */\na { color: teal }");
    expect(shown).toContain("Line 3 was removed");
    const deep = await save(owned, "/look", { css: "@media x{".repeat(10_000), sure: "yes" });
    expect(deep.status).toBe(303);
    expect(await read(owned, "/look")).toContain("Everything from line 1 on was removed");
    await save(owned, "/look", { css: "" });
    expect(await read(owned, "/look")).not.toContain("Line 3");
  });

  test("one form saves all sections of a settings page; unchanged CSS is not checked again", async () => {
    const owned = await startOwned();
    for (const path of ["", "/look", "/reading"])
      expect((await read(owned, path)).match(/class="primary">Save</g)).toHaveLength(1);
    const css = "a { color: teal }\n@import url(x.css);";
    await save(owned, "/look", { css, sure: "yes" });
    const form = await formFields(owned, "/look");
    expect((await save(owned, "/look", { ...form, header: "<p>Ahoy</p>" })).status).toBe(303);
    expect(await blogOf(owned)).toMatchObject({ header: "<p>Ahoy</p>", css: "a{color:teal}" });
    const other = { ...(await formFields(owned, "/look")), header: "", css: `${css}\nb { color: red }` };
    expect((await save(owned, "/look", other)).status).toBe(422);
    expect(await blogOf(owned)).toMatchObject({ header: "<p>Ahoy</p>", css: "a{color:teal}" });
  });

  test("an open page saves only the fields changed in it and keeps changes made elsewhere", async () => {
    const owned = await startOwned();
    await post(owned, { title: "About", type: "page" });
    await post(owned, { title: "Now", type: "page" });
    await save(owned, "", { description: "Then." });
    const [general, look, reading] = await Promise.all(
      ["", "/look", "/reading"].map((path) => formFields(owned, path)),
    );
    await save(owned, "", { description: "By a command.", time_zone: "Europe/Lisbon", profiles: "" });
    await save(owned, "/look", { footer: "<p>Fin</p>", css: "a{color:teal}" });
    await save(owned, "/reading", { home: "page", home_page: "/about", komments_moderated: "off" });
    const elsewhere = await blogOf(owned);
    await save(owned, "", { ...general, title: "Slow Water" });
    await save(owned, "/look", { ...look, header: "<p>Ahoy</p>" });
    await save(owned, "/reading", {
      ...reading,
      posts_a_page: "3",
      feed_content: "summary",
      komments_open: "off",
    });
    expect(await blogOf(owned)).toEqual({
      ...elsewhere,
      ...{ title: "Slow Water", header: "<p>Ahoy</p>", posts_a_page: 3, komments_open: false },
      feed_content: "summary",
    });
    await save(owned, "/reading", { ...(await formFields(owned, "/reading")), home_page: "/now" });
    expect((await blogOf(owned)).home_post_id).toBe(2);
  });

  test("a text that another tab changed is replaced only by a second save", async () => {
    const owned = await startOwned();
    const [one, other] = [await formFields(owned, "/look"), await formFields(owned, "/look")];
    expect((await save(owned, "/look", { ...one, css: "a { color: teal }" })).status).toBe(303);
    const mine = "b { color: navy }";
    const rejected = await save(owned, "/look", { ...other, css: mine });
    expect([rejected.status, (await blogOf(owned)).css]).toEqual([422, "a{color:teal}"]);
    const page = await rejected.text();
    expect(page).toContain("was changed in another tab");
    expect(page).toContain(mine);
    expect((await save(owned, "/look", { ...(await formFields(owned, "/look")), css: mine })).status).toBe(
      303,
    );
    expect((await blogOf(owned)).css).toBe("b{color:navy}");
  });

  test("a home page that another tab changed is reported at the choice", async () => {
    const owned = await startOwned();
    for (const slug of ["about", "now"]) await post(owned, { title: slug, slug, type: "page" });
    const [one, other] = [await formFields(owned, "/reading"), await formFields(owned, "/reading")];
    const choose = (form: Fields, path: string) =>
      save(owned, "/reading", { ...form, home: "page", home_page: path });
    expect((await choose(one, "/about")).status).toBe(303);
    const rejected = await choose(other, "/now");
    const shown = await rejected.text();
    expect([rejected.status, (await blogOf(owned)).home_post_id]).toEqual([422, 1]);
    expect(shown).toContain("It was changed in another tab; save again to replace that version.");
    expect(shown).toContain('value="/now"');
    expect((await choose(await formFields(owned, "/reading"), "/now")).status).toBe(303);
    expect((await blogOf(owned)).home_post_id).toBe(2);
  });

  test("a header with elements that would be removed is saved only after confirmation", async () => {
    const owned = await startOwned();
    const header = "<h2>Ada</h2><p>Words</p>";
    const refused = await (await save(owned, "/look", { header, footer: "" })).text();
    expect(refused).toContain("Elements that a header cannot contain were removed: h2 (1).");
    expect(refused).toContain("&lt;h2&gt;Ada");
    expect((await blogOf(owned)).header).toBe("");
    await save(owned, "/look", { header, footer: "", sure: "yes" });
    expect((await blogOf(owned)).header).toBe("Ada<p>Words</p>");
  });

  test("the home page can be a page, a category or the newest posts", async () => {
    const owned = await startOwned();
    await post(owned, { title: "About me", slug: "about", type: "page", content: "<p>I am Ada.</p>" });
    await post(owned, { title: "Tea", category: "Kitchen" });
    await save(owned, "/reading", { home: "page", home_page: "/about" });
    expect(await page(owned, "/")).toContain("I am Ada.");
    expect(await read(owned, "/reading")).toContain('value="/about"');
    await save(owned, "/reading", { home: "category", home_category: "kitchen" });
    expect((await blogOf(owned)).home_category_id).toBe(1);
    await save(owned, "/reading", { home: "posts", home_page: "/about" });
    expect(await blogOf(owned)).toMatchObject({ home_post_id: null, home_category_id: null });
    for (const wrong of ["", "/tea", "/nowhere", "https://elsewhere.example/about"]) {
      const refused = await save(owned, "/reading", { home: "page", home_page: wrong });
      expect(refused.status).toBe(422);
      expect(await refused.text()).toContain("must be the address of a page or category of this blog");
    }
  });

  test("an unticked box turns its setting off", async () => {
    const owned = await startOwned();
    await save(owned, "/reading", { komments_open: ["off", "on"], komments_moderated: "off" });
    expect(await blogOf(owned)).toMatchObject({ komments_open: true, komments_moderated: false });
    await save(owned, "/reading", { posts_a_page: "3" });
    expect(await blogOf(owned)).toMatchObject({ komments_moderated: false, posts_a_page: 3 });
  });

  test("CSS may have its full length in any script; longer CSS is rejected", async () => {
    const owned = await startOwned();
    const css = `/*${"愛".repeat(99_990)}*/`;
    expect((await save(owned, "/look", { css })).status).toBe(303);
    const refused = await save(owned, "/look", { css: `${css}${"/**/".repeat(10)}` });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("must be at most 100000 characters");
  });

  test("changes to other accounts' blogs and forms of other sites are rejected", async () => {
    const owned = await startOwned();
    owned.newBlog({ slug: "other" }, owned.newAccount("eve@example.com"));
    expect((await owned.browser.get("/admin/blogs/other/settings")).status).toBe(403);
    expect((await owned.browser.post("/admin/blogs/other/settings", { title: "Mine" })).status).toBe(403);
    const forged = await owned.browser.post(
      SETTINGS,
      { title: "Theirs" },
      { origin: "https://evil.example" },
    );
    expect(forged.status).toBe(403);
    expect((await blogOf(owned)).title).toBe("Ada's Blog");
  });

  test("links of the navigation are added, moved and removed by buttons; errors are shown at their row", async () => {
    const owned = await startOwned();
    await post(owned, { title: "About", type: "page" });
    const labels = async () =>
      (await blogOf(owned)).navigation.map(({ label }: { label: string }) => label).join(" ");
    const send = (verb: string, links: Record<string, string>) =>
      save(owned, "/navigation", { do: verb, label: Object.keys(links), to: Object.values(links) });
    const links = { Who: "/about", Old: "/archive", All: "https://all.example" };
    await send("save", { ...links, "": "" });
    expect(await labels()).toBe("Who Old All");
    expect(await page(owned, "/")).toContain('<a href="/about">Who</a>');
    const shown = await read(owned, "/navigation");
    expect(shown).toContain('value="/about"');
    expect(shown).toContain('<option value="/about">About</option>');
    await send("up 2", links);
    expect(await labels()).toBe("Who All Old");
    await send("down 0", links);
    expect(await labels()).toBe("Old Who All");
    await send("remove 1", links);
    expect(await labels()).toBe("Who All");
    for (const nonsense of ["up 0", "down 9", "up x", "remove -1", "toString 1", "up 1e0"])
      expect((await send(nonsense, links)).status).toBe(303);
    const refused = await send("save", { Who: "/about", Bad: "javascript:alert(1)" });
    expect(refused.status).toBe(422);
    const told = await refused.text();
    expect(told).toContain("Link 2&#x27;s address must begin with https://");
    expect(told).toContain('value="javascript:alert(1)"');
    await owned.api("DELETE", "/posts/1");
    expect(await read(owned, "/navigation")).toContain("Hidden from readers");
  });
});

test("the settings link to import and export", async () => {
  const { browser } = await startOwned();
  const page = await (await browser.get("/admin/blogs/ada/transfer")).text();
  expect(page).toContain('<a href="/admin/blogs/ada/settings/theme">Design</a>');
  expect(page).toContain('<a href="/admin/blogs/ada/transfer" aria-current="page">Import and export</a>');
});
