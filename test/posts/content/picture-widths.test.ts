import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import sharp from "sharp";
import { configureBlog } from "../../../src/blogs/blog-settings";
import { startOwned } from "../../admin/owner";
import { picture, uploadForm } from "../../support/pictures";
import { startPlaten } from "../../support/platen";

test("a cropped picture keeps its shape, and its focal point positions crops and covers", async () => {
  const at = await startOwned();
  await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body: uploadForm(await picture(1300, 1000), "cat.jpg"),
  });
  const [{ html }] = (await at.api("GET", "/attachments")).body.attachments;
  const content = html.replace("<action-text-attachment", '$& data-crop="4:5"');
  const post = { title: "Cat", content, status: "published" };
  const { body } = await at.api("POST", "/posts", { post });
  expect(body.post.content.html).toContain(' data-crop="4:5">');
  const again = await at.api("PATCH", `/posts/${body.post.id}`, {
    post: { content: body.post.content.html },
  });
  expect(again.body.post.content.html).toBe(body.post.content.html);
  const pageOf = async (path: string) => await (await at.fetch(path)).text();
  expect(await pageOf("/cat")).toContain('data-crop="4:5" data-row="tall">');
  expect(await pageOf("/cat")).not.toContain("object-position");

  const file = await at.browser.get("/admin/blogs/ada/media/1");
  expect(await file.text()).toContain('name="x" min="0" max="100" value="50"');
  const save = (x: string) => at.browser.post("/admin/blogs/ada/media/1/focus", { x, y: "70" });
  expect((await save("20")).status).toBe(303);
  for (const odd of ["101", "-1", "a", ""]) expect((await save(odd)).status).toBe(400);
  expect(await pageOf("/cat")).toMatch(/\[data-blur="\w+"\]>img\{object-position:20% 70%\}/);
  const [, preview = ""] = /og:image" content="[^"]*(\/media\/[^"]*)"/.exec(await pageOf("/cat")) ?? [];
  expect(preview).toEndWith("/sizes/1200-20-70.webp");
  const { width, height } = await sharp(await (await at.fetch(preview)).arrayBuffer()).metadata();
  expect([width, height]).toEqual([1200, 630]);
  expect((await at.fetch(preview.replace("20-70", "21-70"))).status).toBe(404);
  const crop = at.platen.config.data + preview;
  expect(existsSync(crop)).toBe(true);
  await save("30");
  expect(existsSync(crop)).toBe(false);
  await save("20");
  configureBlog(at.platen, at.blog, { theme: "magazine" });
  expect(await pageOf("/")).toMatch(/object-position:20% 70%/);
});

test("a browser loads only the part of a cropped picture that its focal point keeps", async () => {
  const at = await startOwned();
  const [left, right] = [await picture(2000, 1000, "png"), await picture(1000, 1000, "png", "#2d52a0")];
  const panorama = await sharp(left)
    .composite([{ input: Buffer.from(right), left: 1000, top: 0 }])
    .png()
    .toBuffer();
  await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body: uploadForm(new Uint8Array(panorama), "hills.png"),
  });
  const [{ html }] = (await at.api("GET", "/attachments")).body.attachments;
  const content = html.replace("<action-text-attachment", '$& data-crop="1:1"');
  await at.api("POST", "/posts", { post: { title: "Hills", content, status: "published" } });
  const imageOf = async () => /<img[^>]*hills[^>]*>/.exec(await (await at.fetch("/hills")).text())?.[0] ?? "";
  const sizes = (image: string) => [...image.matchAll(/\/media\/[\w-]+\/sizes\/(\S+) (\d+)w/g)];

  const centered = await imageOf();
  expect(centered).toContain(' width="1000" height="1000"');
  expect(sizes(centered).map(([, name]) => name)).toEqual(
    [480, 960, 1000].map((width) => `${width}-1x1-50-50.webp`),
  );
  await at.browser.post("/admin/blogs/ada/media/1/focus", { x: "100", y: "50" });
  for (const [address = "", , width] of sizes(await imageOf())) {
    const shown = sharp(await (await at.fetch(address.split(" ")[0] as string)).arrayBuffer());
    expect(await shown.metadata()).toMatchObject({ width: Number(width), height: Number(width) });
    expect((await shown.stats()).dominant).toMatchObject({ r: 40, g: 88, b: 168 });
  }
  const [path = ""] = (sizes(await imageOf())[0] as string[])[0]?.split(" ") ?? [];
  for (const odd of ["1x1-99-50", "3x2-100-50", "1x1-100-50-1"])
    expect((await at.fetch(path.replace("1x1-100-50", odd))).status).toBe(404);
  expect((await at.fetch(path.replace("480", "481"))).status).toBe(404);
});

test("the width of a picture is the same on its page, in the API and after its HTML is sent back", async () => {
  const at = startPlaten();
  await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body: uploadForm(await picture(), "cat.jpg"),
  });
  const [{ html }] = (await at.api("GET", "/attachments")).body.attachments;
  const wide = (width: string) => html.replace("<action-text-attachment", `$& data-width="${width}"`);
  const create = async (content: string) =>
    (await at.api("POST", "/posts", { post: { title: "Cat", content, status: "published" } })).body.post;
  const full = await create(`<p>a</p>${wide("full")}`);
  expect(full.content.html).toContain(' data-width="full">');
  const page = await (await at.fetch(`/${full.slug}`)).text();
  expect(page).toContain(' data-width="full"');
  const again = await at.api("PATCH", `/posts/${full.id}`, { post: { content: full.content.html } });
  expect(again.body.post.content.html).toBe(full.content.html);
  const markdown = await at.api("POST", "/posts", {
    post: { title: "M", content: `One.\n\n${wide("text")}`, content_type: "markdown", status: "published" },
  });
  expect(markdown.body.post.content.html).toContain(' data-width="text">');
  for (const odd of ["huge", "&quot;x"])
    expect((await create(wide(odd))).content.html).not.toContain("data-width");
});
