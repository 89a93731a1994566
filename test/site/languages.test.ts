import { expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { removeBlog } from "../../src/upkeep/removal/removal";
import { DAY, startPlaten, type TestPlaten } from "../support/platen";
import { page, post } from "./posting";

/** "Tea" in English, and its translations into German and, on another blog, Arabic. */
async function startTranslated(settings: Parameters<typeof startPlaten>[0] = {}) {
  const at = startPlaten(settings);
  const arabic = at.newBlog({ title: "Shai", slug: "shai" });
  configureBlog(at.platen, arabic, { language: "ar" });
  const english = await post(at, { title: "Tea", content: "<p>Green</p>", published_at: "2020-01-01" });
  const of = { translation_of: english.id };
  const german = await post(at, { title: "Tee", content: "<p>Grün</p>", language: "de", ...of });
  const other = await post(at, { title: "شاي", slug: "shai", content: "<p>أخضر</p>", ...of }, arabic.id);
  return { ...at, arabic, english, german, other };
}

const change = (at: TestPlaten, { id }: { id: number }, fields: object) =>
  at.api("PATCH", `/posts/${id}`, { post: fields });

const LINKS = [
  '<link rel="alternate" hreflang="en" href="http://blog.test/tea">',
  '<link rel="alternate" hreflang="de" href="http://blog.test/tee">',
  '<link rel="alternate" hreflang="ar" href="http://blog.test/@shai/shai">',
  '<link rel="alternate" hreflang="x-default" href="http://blog.test/tea">',
];
const linksIn = (shown: string): string[] =>
  shown.match(/<link rel="alternate" hreflang="[^"]*" href="[^"]*">/g) ?? [];

test("each translation links to all others in their own language, also in the sitemap", async () => {
  const at = await startTranslated();
  for (const path of ["/tea", "/tee", "/@shai/shai"]) expect(linksIn(await page(at, path))).toEqual(LINKS);
  const [, line = ""] = (await page(at, "/tee")).match(/<p class="translations">(.*)<\/p>/) ?? [];
  expect(line).toBe(
    'Also in <a rel="alternate" hreflang="en" href="http://blog.test/tea">English</a> · <a rel="alternate" hreflang="ar" href="http://blog.test/@shai/shai" lang="ar" dir="rtl">العربية</a>',
  );
  const sitemap = await page(at, "/sitemap.xml");
  expect(sitemap).toContain('xmlns:xhtml="http://www.w3.org/1999/xhtml"');
  expect(sitemap.match(/<xhtml:link rel="alternate" hreflang="[^"]*" href="[^"]*"\/>/g)).toHaveLength(2 * 4);
});

test("only public translations are linked, one per language", async () => {
  const at = await startTranslated();
  const second = await post(at, { title: "Noch ein Tee", language: "de", translation_of: at.german.id });
  expect(linksIn(await page(at, "/tea"))).toEqual(LINKS);
  const own = '<link rel="alternate" hreflang="de" href="http://blog.test/noch-ein-tee">';
  expect(linksIn(await page(at, "/noch-ein-tee"))).toEqual([LINKS[0], LINKS[2], own, LINKS[3]] as string[]);
  await at.api("DELETE", `/posts/${second.id}`);
  await change(at, at.german, { meta: { hidden: true } });
  for (const path of ["/tea", "/@shai/shai"]) expect(await page(at, path)).not.toContain('hreflang="de"');
  expect(linksIn(await page(at, "/tee"))).toEqual([]);
  await change(at, at.german, { meta: { hidden: false }, published_at: "2026-03-02T12:00:00Z" });
  expect(await page(at, "/tea")).not.toContain("/tee");
  at.pass(DAY);
  expect(linksIn(await page(at, "/tea"))).toEqual([LINKS[0], LINKS[2], LINKS[1], LINKS[3]] as string[]);
  await change(at, at.german, { translation_of: null });
  await removeBlog(at.platen, at.arabic);
  for (const path of ["/tea", "/tee", "/sitemap.xml"])
    expect(await page(at, path)).not.toContain("x-default");
});

test("the API reads and writes language and translation, and reports errors", async () => {
  const at = await startTranslated();
  const read = async ({ id }: { id: number }) => (await at.api("GET", `/posts/${id}`)).body.post;
  const { german, english } = at;
  expect(await read(german)).toMatchObject({ language: "de", translation_of: english.id });
  expect(await read(english)).toMatchObject({ language: null, translation_of: german.id });
  // Values of a response can be sent back.
  for (const one of [german, english]) {
    const before = await read(one);
    at.pass(1000);
    const { language, translation_of } = before;
    expect((await change(at, one, { language, translation_of })).body.post.updated_at).toBe(
      before.updated_at,
    );
  }
  const lone = await post(at, { title: "Alone" });
  expect((await change(at, lone, { translation_of: null })).body.post).toMatchObject({
    translation_of: null,
  });
  expect((await change(at, lone, { language: "pt-br" })).body.post.language).toBe("pt-BR");
  const stranger = at.newBlog({ title: "Stranger" }, at.newAccount("s@example.com"));
  const strangers = await at.api(
    "POST",
    "/posts",
    { blog_id: stranger.id, post: { title: "Theirs" } },
    {
      authorization: `Bearer ${at.newKey({}, { ...at.account, id: stranger.accountId })}`,
    },
  );
  const bound = at.newKey({ blogIds: [at.blog.id] });
  const statusOfChange = async (fields: object, key = at.key) => {
    const { status, body } = await at.api(
      "PATCH",
      `/posts/${lone.id}`,
      { post: fields },
      { authorization: `Bearer ${key}` },
    );
    return [status, Object.keys(body.errors ?? {})];
  };
  const wrong = [422, ["translation_of"]];
  expect(await statusOfChange({ translation_of: 999_999 })).toEqual(wrong);
  expect(await statusOfChange({ translation_of: lone.id })).toEqual(wrong);
  expect(await statusOfChange({ translation_of: strangers.body.post.id })).toEqual(wrong);
  expect(await statusOfChange({ translation_of: at.other.id }, bound)).toEqual(wrong);
  for (const language of ["german", "xx", "de_DE", `de-${"x-".repeat(30)}y`])
    expect(await statusOfChange({ language })).toEqual([422, ["language"]]);
  expect(await statusOfChange({ translation_of: german.id, language: "fr" }, bound)).toEqual([200, []]);
  expect(await page(at, "/tea")).toContain('hreflang="fr" href="http://blog.test/alone"');
});

test("a translation id from a response can be sent back, even if it is hidden from the key or in the trash", async () => {
  const at = await startTranslated();
  const away = await post(at, { title: "Away" }, at.arabic.id);
  const here = await post(at, { title: "Here", language: "fr", translation_of: away.id });
  const authorization = `Bearer ${at.newKey({ blogIds: [at.blog.id] })}`;
  const sendBack = async () => {
    const before = (await at.api("GET", `/posts/${here.id}`)).body.post;
    at.pass(1000);
    const { translation_of } = before;
    const sent = await at.api("PATCH", `/posts/${here.id}`, { post: { translation_of } }, { authorization });
    expect(sent.body.post?.updated_at).toBe(before.updated_at);
    return translation_of;
  };
  expect(await sendBack()).toBe(away.id);
  await at.api("DELETE", `/posts/${away.id}`);
  expect(await sendBack()).toBeNull();
  const body = new URLSearchParams({ action: "undelete", url: `http://blog.test/@shai/away` });
  const headers = { authorization: `Bearer ${at.key}` };
  expect((await at.fetch("/micropub", { method: "POST", headers, body })).status).toBeLessThan(300);
  expect(await sendBack()).toBe(away.id);
});

test("a change of one translation purges the hosts of all, also of another blog", async () => {
  const at = await startTranslated();
  const places = () =>
    at.platen.db
      .all("SELECT place FROM page_changes ORDER BY place")
      .map((row) => Object.values(row as object)[0]);
  const both = [`${at.blog.id}`, `${at.arabic.id}`];
  for (const changes of [{ title: "Grüner Tee" }, { status: "draft" }, { status: "published" }]) {
    at.platen.db.run("DELETE FROM page_changes");
    await change(at, at.german, changes);
    expect(places()).toEqual(both);
  }
  at.platen.db.run("DELETE FROM page_changes");
  configureBlog(at.platen, at.blog, { language: "nl" });
  expect(places()).toEqual(both);
});

test("a post in another language has its own lang on its page and in lists", async () => {
  const at = startPlaten();
  await post(at, { title: "שלום", slug: "shalom", content: "<p>Hi!</p>", language: "he" });
  await post(at, { title: "Plain", content: "<p>Text</p>" });
  const shown = await page(at, "/shalom");
  expect(shown).toContain('<html lang="he" dir="rtl">');
  expect(shown).toContain('<body lang="en" dir="ltr">');
  expect(shown).toContain('<h1 class="p-name" lang="he" dir="rtl">');
  expect(shown).toContain('<div lang="he" dir="rtl" class="e-content prose">');
  expect(shown).toContain('"inLanguage":"he"');
  await post(at, { title: "Tee", content: "<table><tr><td>1</td></tr></table>", language: "de-AT" });
  const table = await page(at, "/tee");
  expect(table).toMatch(/role="group" aria-label="(?!Table)\w+"/);
  expect(table).toContain("Write a komment");
  const plain = await page(at, "/plain");
  expect(plain).toContain('<html lang="en" dir="ltr">');
  expect(plain).toContain("<body>");
  expect(plain).toMatch(/<bdi lang="he" dir="rtl">שלום<\/bdi>/);
  const list = await page(at, "/");
  expect(list).toMatch(
    /<article class="h-entry" lang="he" dir="rtl">\n<h2 .*שלום.*\n.*\n<p class="meta" lang="en" dir="ltr">/,
  );
  expect(await page(at, "/archive")).toContain('<a href="/shalom" lang="he" dir="rtl">');
});

test("feeds have the language of entries; a blog with several languages has a feed for each", async () => {
  const at = startPlaten();
  await post(at, { title: "Tea", content: "<p>x</p>" });
  expect(await page(at, "/")).not.toContain("?lang=");
  for (const query of ["?lang=de", "?lang=en-GB"])
    expect((await at.fetch(`/feed.xml${query}`)).status).toBe(404);
  await post(at, { title: "Tee", content: "<p>x</p>", language: "de" });
  await post(at, { title: "Thé", content: "<p>x</p>", language: "fr", status: "draft" });
  const all = await page(at, "/feed.atom");
  expect(all).toMatch(/xml:lang="en">/);
  expect(all).toMatch(/<entry xml:lang="de">\n.*\n<title>Tee</);
  expect(await page(at, "/feed.xml")).toContain("<dc:language>de</dc:language>");
  const { items } = await (await at.fetch("/feed.json")).json();
  expect(items.map((one: { language?: string }) => one.language)).toEqual(["de", undefined]);
  const german = await page(at, "/feed.atom?lang=de");
  expect(german).toMatch(/xml:lang="de">.*<title>Ada&#x27;s Blog: Deutsch</s);
  expect(german.match(/<title>T..</g)).toEqual(["<title>Tee<"]);
  expect((await page(at, "/feed.atom?lang=en")).match(/<title>T..</g)).toEqual(["<title>Tea<"]);
  expect(await page(at, "/tea")).toContain(
    'hreflang="de" title="Ada&#x27;s Blog: Deutsch (RSS)" href="http://blog.test/feed.xml?lang=de"',
  );
  expect((await at.fetch("/feed.xml?lang=fr")).status).toBe(404);
});

test("the home page has a list per language at its own URL, and an optional language menu", async () => {
  const at = startPlaten();
  await post(at, { title: "Tea" });
  await post(at, { title: "Tee", language: "de", pinned: true });
  const german = await page(at, "/?lang=de");
  expect(german).toContain('<html lang="de" dir="ltr">');
  expect(german).toMatch(/Tee/);
  expect(german).not.toMatch(/Tea/);
  expect(await page(at, "/?lang=en")).not.toMatch(/Tee/);
  expect(german).not.toContain('class="languages"');
  expect((await at.fetch("/?lang=fr")).status).toBe(404);
  configureBlog(at.platen, at.blog, { design: { languageMenu: true } });
  const menu =
    '<nav class="languages" aria-label="Languages"><a href="/?lang=en" hreflang="en">English</a> <a href="/?lang=de" hreflang="de" lang="de" dir="ltr">Deutsch</a></nav>';
  const first = await at.fetch("/", { headers: { "accept-language": "de" } });
  expect(first.headers.get("vary") ?? "").not.toContain("Language");
  expect(await first.text()).toContain(menu);
  expect(await page(at, "/?lang=de")).toContain('hreflang="de" aria-current="page"');
});

test("the home page can redirect new readers to their language; shared caches do not store that", async () => {
  const at = startPlaten({ purge: { url: "http://cache.test/", header: null } });
  await post(at, { title: "Tea" });
  const home = async (language = "", more: Record<string, string> = {}) => {
    const headers = { ...(language && { "accept-language": language }), ...more };
    const answer = await at.fetch("/", { headers, redirect: "manual" });
    return [answer.status, answer.headers.get("location")];
  };
  configureBlog(at.platen, at.blog, { design: { languageHome: true } });
  expect(await home("en")).toEqual([200, null]);
  await post(at, { title: "Tee", language: "de" });
  expect(await home()).toEqual([200, null]);
  expect(await home("de-CH,de;q=0.9,en;q=0.8")).toEqual([302, "http://blog.test/?lang=de"]);
  expect(await home("gsw, de;q=0.5, en;q=0.4")).toEqual([302, "http://blog.test/?lang=de"]);
  expect(await home("fr, pl;q=0.5")).toEqual([200, null]);
  expect(await home("de", { referer: "https://search.example/" })).toEqual([
    302,
    "http://blog.test/?lang=de",
  ]);
  expect(await home("de", { referer: "http://blog.test/?lang=de" })).toEqual([200, null]);
  const whole = await at.fetch("/");
  expect(whole.headers.get("vary")).toContain("accept-language");
  expect(whole.headers.get("cache-control")).toBe("private, no-cache");
  expect(whole.headers.get("cdn-cache-control")).toBeNull();
  configureBlog(at.platen, at.blog, { design: { languageHome: false } });
  expect(await home("de")).toEqual([200, null]);
  expect((await at.fetch("/")).headers.get("cdn-cache-control")).not.toBeNull();
});
