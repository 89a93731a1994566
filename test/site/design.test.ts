import { expect, test } from "bun:test";
import sharp from "sharp";
import { type BlogChanges, configureBlog } from "../../src/blogs/blog-settings";
import {
  accentCss,
  accentOf,
  contrast,
  inkOn,
  THEME_STYLESHEETS,
} from "../../src/site/styles/stylesheets-and-accent";
import { THEME_NAMES, themeNamed } from "../../src/themes/theme-list";
import { uploadForm } from "../support/pictures";
import { startPlaten, type TestPlaten } from "../support/platen";

const set = (at: TestPlaten, changes: BlogChanges) => configureBlog(at.platen, at.blog, changes);
const page = async (at: TestPlaten, path = "/") => (await at.fetch(path)).text();
const sheetsIn = (markup: string) =>
  [...markup.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map((match) => match[1] as string);

async function upload(at: TestPlaten, name: string, picture: Promise<Buffer>, caption = ""): Promise<string> {
  const answer = await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body: uploadForm(new Uint8Array(await picture), name, { "attachment[caption]": caption }),
  });
  const { attachment } = (await answer.json()) as { attachment: { html: string; url: string } };
  // Renditions and placeholder are made on the first request.
  const folder = attachment.url.split("/").at(-2);
  expect((await at.fetch(`/media/${folder}/sizes/thumb.webp`)).status).toBe(200);
  return attachment.html;
}

async function publish(at: TestPlaten, fields: Record<string, unknown>): Promise<string> {
  const answer = await at.api("POST", "/posts", { post: { status: "published", ...fields } });
  expect(answer.status).toBe(201);
  return `/${answer.body.post.slug}`;
}

const red = (width = 900, height = 600) =>
  sharp({ create: { width, height, channels: 3, background: "#a03020" } })
    .jpeg()
    .toBuffer();
const transparentPicture = () =>
  sharp({ create: { width: 900, height: 600, channels: 4, background: "#a0302080" } })
    .png()
    .toBuffer();

test("every theme is one immutable stylesheet with a hashed name", async () => {
  const at = startPlaten();
  const seen = new Set<string>();
  for (const theme of THEME_NAMES) {
    set(at, { theme });
    const sheets = sheetsIn(await page(at));
    expect(sheets).toHaveLength(1);
    const answer = await at.fetch(sheets[0] as string);
    expect(answer.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(answer.headers.get("cache-control")).toContain("immutable");
    seen.add(sheets[0] as string);
  }
  expect(seen.size).toBe(THEME_NAMES.length);
});

test("the owner's color and CSS are in the same stylesheet after the theme's, with the same content policy", async () => {
  const at = startPlaten();
  const policy = (await at.fetch("/")).headers.get("content-security-policy");
  expect(policy).toContain("style-src 'self';");
  set(at, { css: ".prose{color:teal} @import 'https://elsewhere.example';", accent: "#226644" });
  const answer = await at.fetch("/");
  expect(answer.headers.get("content-security-policy")).toBe(policy);
  const markup = await answer.text();
  expect(markup).not.toMatch(/<style|style="/);
  const [sheet = "", ...others] = sheetsIn(markup);
  expect(others).toEqual([]);
  const css = await (await at.fetch(sheet)).text();
  expect(css).toContain("--accent:#226644");
  expect(css).toEndWith(".prose{color:teal}");
});

test("the old stylesheet URL of a cached page still works; an unknown blog has none", async () => {
  const at = startPlaten();
  set(at, { css: "a{color:red}" });
  const [before = ""] = sheetsIn(await page(at));
  set(at, { css: "a{color:blue}" });
  expect(sheetsIn(await page(at))).not.toEqual([before]);
  expect(await (await at.fetch(before)).text()).toEndWith("a{color:blue}");
  expect(await (await at.fetch("/assets/serif.000.css")).text()).toBe(THEME_STYLESHEETS.serif.content);
  for (const path of ["/assets/blog-99.abc.css", "/assets/blog-x.css", "/assets/no-theme.000.css"])
    expect((await at.fetch(path)).status).toBe(404);
});

test("an outdated stylesheet URL is not cached, because its content may come back", async () => {
  const at = startPlaten();
  const cacheControl = async (path: string) => (await at.fetch(path)).headers.get("cache-control");
  set(at, { css: "a{color:red}" });
  const [red = ""] = sheetsIn(await page(at));
  set(at, { css: "a{color:blue}" });
  for (const path of [red, "/assets/serif.000.css", "/assets/look-1.000.css?theme=sans"])
    expect(await cacheControl(path)).toBe("public, no-cache");
  set(at, { css: "a{color:red}" });
  expect(await cacheControl(red)).toContain("immutable");
  expect(await (await at.fetch(red)).text()).toEndWith("a{color:red}");
});

test("stylesheets are compressed if the browser accepts it", async () => {
  const at = startPlaten();
  const [sheet = ""] = sheetsIn(await page(at));
  const plain = await (await at.fetch(sheet)).text();
  const packed = await at.fetch(sheet, { headers: { "accept-encoding": "gzip" } });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(packed.headers.get("vary")).toBe("accept-encoding");
  expect(new TextDecoder().decode(Bun.gunzipSync(await packed.bytes()))).toBe(plain);
});

test("links are readable with any accent in every theme, light and dark", async () => {
  const at = startPlaten();
  for (const theme of THEME_NAMES) {
    set(at, { theme });
    const css = await (await at.fetch(sheetsIn(await page(at))[0] as string)).text();
    const [byDay = "", byNight = ""] = ["background", "background-night"].map(
      (name) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(css.slice(css.lastIndexOf(`--${name}:`)))?.[1],
    );
    for (const accent of ["#000000", "#ffffff", "#ffff00", "#0000ff", "#808080", "#ff0000", "#00ff88"]) {
      const [day = "", night = ""] = [...accentCss(accent).matchAll(/#[0-9a-f]{6}/g)].map(String);
      expect(contrast(day, byDay)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(night, byNight)).toBeGreaterThanOrEqual(4.5);
    }
  }
});

test("the accent of the theme or owner has readable text on it", () => {
  const at = startPlaten();
  for (const theme of THEME_NAMES) {
    const { css, accent, paper } = themeNamed(theme);
    expect(/--accent: (#\w+);/.exec(css)?.[1]).toBe(accent);
    expect(/--background: (#\w+);/.exec(css)?.[1]).toBe(paper);
    expect(accentOf(at.platen, { theme, accent: "" })).toBe(accent);
    expect(accentOf(at.platen, { theme, accent: "#123456" })).toBe("#123456");
    expect(contrast(accent, inkOn(accent))).toBeGreaterThanOrEqual(3);
  }
  expect(inkOn("#8a3b12")).toBe("#ffffff");
  expect(inkOn("#ffe08a")).toBe("#24211d");
});

test("header and footer text are on every page", async () => {
  const at = startPlaten();
  set(at, { header: '<a href="/about">About</a>', footer: "<p>© <b>Ada</b></p>" });
  const path = await publish(at, { title: "One", content: "x" });
  for (const markup of [await page(at), await page(at, path), await page(at, "/nothing-here")]) {
    expect(markup).toContain('<div class="owner"><a href="/about">About</a></div>');
    expect(markup).toContain('<div class="owner"><p>© <b>Ada</b></p></div>');
  }
});

test("the first picture is loaded at once, others lazily; each links to its file", async () => {
  const at = startPlaten();
  const [one, two] = [await upload(at, "one.jpg", red(), "One"), await upload(at, "two.jpg", red(), "")];
  const path = await publish(at, { title: "Two", content: `${one}<p>between</p>${two}` });
  const pictures = [...(await page(at, path)).matchAll(/<a class="picture"[\s\S]*?<\/a>/g)].map(String);
  expect(pictures).toHaveLength(2);
  const [first = "", second = ""] = pictures;
  expect(first).toMatch(/<a class="picture" href="\/media\/[^"]+\/one\.jpg"/);
  expect(first).toContain('fetchpriority="high"');
  expect(first).not.toContain("lazy");
  expect(first).toContain('width="900" height="600" alt="One"');
  expect(first).toMatch(/srcset="[^"]+480\.webp 480w, [^"]+one\.jpg 900w"/);
  expect(second).toContain('loading="lazy"');
  expect(second).toContain('aria-label="View image"');
  expect((await at.fetch(/href="([^"]+)"/.exec(first)?.[1] as string)).status).toBe(200);
});

test("a picture has a blurred placeholder on pages, but not if it is transparent", async () => {
  const at = startPlaten();
  const [opaque, glass] = [await upload(at, "a.jpg", red()), await upload(at, "b.png", transparentPicture())];
  const created = await at.api("POST", "/posts", {
    post: { status: "published", title: "Two", content: `${opaque}<p>and</p>${glass}` },
  });
  const shown = await page(at, "/two");
  const placeholders = [
    ...shown.matchAll(/\[data-blur="([\w-]+)"\]::before\{background-image:url\(([^)]+)\)\}/g),
  ];
  expect(placeholders).toHaveLength(1);
  const [, folder, address] = placeholders[0] as unknown as [string, string, string];
  expect(shown).toContain(`<a class="picture" href="/media/${folder}/a.jpg" data-blur="${folder}"`);
  expect(shown.slice(shown.indexOf("<body>"))).not.toContain("data:");
  expect(address.length).toBeLessThan(400);
  const { width, format } = await sharp(Buffer.from(address.split(",")[1] as string, "base64")).metadata();
  expect([width, format]).toEqual([20, "webp"]);
  for (const clean of [created.body.post.content.html, await page(at, "/feed.xml")]) {
    expect(clean).not.toContain("data-blur");
    expect(clean).not.toContain('class="picture"');
  }
});

test("consecutive pictures are in rows, by their aspect ratios", async () => {
  const at = startPlaten();
  const [wide, tall] = [await upload(at, "w.jpg", red()), await upload(at, "t.jpg", red(400, 600))];
  const path = await publish(at, { title: "G", content: `<p>a</p>${wide}\n${tall}<p>b</p>${wide}` });
  const shown = await page(at, path);
  const [gallery = ""] = /<div class="gallery">[\s\S]*?<\/div>/.exec(shown) ?? [];
  expect([...gallery.matchAll(/data-row="(\w+)"/g)].map((match) => match[1])).toEqual(["wide", "tall"]);
  expect(shown.match(/data-row="wide"/g)).toHaveLength(2);
});

test("the photo theme shows pictures on the home page; posts without one show text", async () => {
  const at = startPlaten();
  await publish(at, { title: "Words", content: "<p>Only these.</p>" });
  await publish(at, { title: "", content: `<p>At sea</p>${await upload(at, "sea.jpg", red(), "The sea")}` });
  expect(await page(at)).not.toContain('class="cover');
  set(at, { theme: "photo" });
  const home = await page(at);
  expect(home).toMatch(/<a class="cover u-url" href="\/at-sea[^"]*" aria-label="At sea"/);
  expect(home).toMatch(/<img class="u-photo" src="[^"]+sea\.jpg" alt="The sea"/);
  expect(home).toContain("Only these.");
});

test("wide content can be scrolled with the keyboard, and checkboxes and players have labels", async () => {
  const at = startPlaten();
  const content =
    '<pre><code>x</code></pre><table><tr><td>1</td></tr></table><input type="checkbox" checked><iframe src="https://www.youtube.com/embed/x"></iframe>';
  const shown = await page(at, await publish(at, { title: "Wide", content }));
  expect(shown).toContain('<pre tabindex="0"><code>');
  expect(shown).toContain('<div class="table" tabindex="0" role="group" aria-label="Table"><table>');
  expect(shown).toContain('<input aria-label="Done"');
  expect(shown).toContain('<iframe title="Video"');
});

test("the direction of a post's text follows its first letters, whatever the blog's language", async () => {
  const at = startPlaten();
  expect(await page(at, await publish(at, { title: "سلام", content: "<p>سلام</p>" }))).toContain(
    '<div dir="auto" class="e-content prose"><p>سلام</p></div>',
  );
});

test("security.txt names the contact form if there is one", async () => {
  const at = startPlaten();
  const path = "/.well-known/security.txt";
  expect((await at.fetch(path)).status).toBe(404);
  await publish(at, { title: "About", type: "page", content: "x", meta: { show_contact_form: true } });
  const answer = await at.fetch(path);
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await answer.text()).toBe(
    [
      "Contact: http://blog.test/komments/about/contact",
      "Expires: 2026-05-30T00:00:00.000Z",
      "Preferred-Languages: en",
      "Canonical: http://blog.test/.well-known/security.txt",
      "",
    ].join("\n"),
  );
});
