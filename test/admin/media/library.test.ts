import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { configureBlog } from "../../../src/blogs/blog-settings";
import { mediaFolder } from "../../../src/media/files/media-folder";
import { storeUnsaved } from "../../../src/posts/unsaved-posts";
import { picture } from "../../support/pictures";
import { DAY } from "../../support/platen";
import { passUntilFilesDeleted } from "../../support/purged-files";
import { startOwned } from "../owner";
import { fileNamed, MEDIA, manyFiles, namesOn, read, STRANGE, upload, words, write } from "./files";

const text = (content: string) => new File([content], "notes.txt", { type: "text/plain" });
const jpeg = async (name: string) => new File([await picture()], name, { type: "image/jpeg" });

function filesForm(files: File[]): FormData {
  const form = new FormData();
  form.append("sent", "by hand");
  for (const file of files) form.append("files", file);
  return form;
}

describe("the media library", () => {
  test("lists the blog's files, newest first, with their details", async () => {
    const owned = await startOwned();
    expect(words(await read(owned, MEDIA))).toContain("No files yet");
    const [rain, wind] = [await upload(owned, "rain.jpg"), await upload(owned, "wind.jpg")];
    await upload(owned, "snow.jpg");
    await write(owned, { title: "Rain", content: rain });
    await write(owned, { title: "Both", content: rain + wind, alt_text: { "wind.jpg": "" } });
    const page = await read(owned, MEDIA);
    expect(namesOn(page)).toEqual(["snow.jpg", "wind.jpg", "rain.jpg"]);
    expect(words(page)).toMatch(/snow.jpg not in a post wind.jpg rain.jpg in 2 posts no alt text/);
    expect(words(page)).toContain("3 files");
  });

  test("filters by kind, missing alt text, unused files and name", async () => {
    const owned = await startOwned();
    const rain = await upload(owned, "rain.jpg");
    const sea = await upload(owned, "sea.jpg", { "attachment[caption]": "The sea" });
    await upload(owned, "snow.jpg");
    await upload(owned, "sign.jpg");
    owned.platen.db.$client.run("UPDATE blobs SET media_type = 'video' WHERE filename = 'snow.jpg'");
    configureBlog(owned.platen, owned.blog, {
      footer: `<img src="/media/${fileNamed(owned, "sign.jpg").folder}/sign.jpg" alt="">`,
    });
    await write(owned, { title: "Rain", content: rain + sea });
    const findFiles = async (query: string) => namesOn(await read(owned, `${MEDIA}?${query}`));
    expect(await findFiles("show=images")).toEqual(["sign.jpg", "sea.jpg", "rain.jpg"]);
    expect(await findFiles("show=videos")).toEqual(["snow.jpg"]);
    expect(await findFiles("show=unused")).toEqual(["snow.jpg"]);
    expect(await findFiles("show=without-alt")).toEqual(["rain.jpg"]);
    expect(await findFiles("search=S&show=images")).toEqual(["sign.jpg", "sea.jpg"]);
    expect(await findFiles("show=nope&before=x")).toHaveLength(4);
    expect(words(await read(owned, `${MEDIA}?search=zeppelin`))).toContain("No matching");
    await owned.api("PATCH", "/posts/1", { post: { alt_text: { "rain.jpg": "Rain" } } });
    expect(words(await read(owned, `${MEDIA}?show=without-alt`))).toContain("All pictures have alt text");
  });

  test("has pages without scripts, and keeps its filters", async () => {
    const owned = await startOwned();
    manyFiles(owned, 50);
    const first = await read(owned, `${MEDIA}?show=unused`);
    expect(namesOn(first)).toHaveLength(48);
    const [, next = ""] = /rel="next" href="([^"]+)"/.exec(first) ?? [];
    const second = await read(owned, next.replaceAll("&amp;", "&"));
    expect(namesOn(second)).toEqual(["2.jpg", "1.jpg"]);
    expect(second).toMatch(/aria-current="page">Unused/);
    expect(second).not.toContain('rel="next"');
  });

  test("finds an old file among thousands", async () => {
    const owned = await startOwned();
    await write(owned, { title: "Rain", content: await upload(owned, "rain.jpg") });
    manyFiles(owned, 2001);
    for (const query of ["search=RAIN", "show=without-alt"])
      expect(namesOn(await read(owned, `${MEDIA}?${query}`))).toEqual(["rain.jpg"]);
  });

  test("accepts several files at once, and reports the one with an error", async () => {
    const owned = await startOwned();
    const headers = { origin: owned.platen.config.url };
    const send = (files: File[], from: Record<string, string> = headers) =>
      owned.browser.send(MEDIA, { method: "POST", headers: from, body: filesForm(files) });
    const done = await send([await jpeg("rain.jpg"), await jpeg("wind.jpg")]);
    expect([done.status, done.headers.get("location")]).toEqual([303, MEDIA]);
    const page = await read(owned, MEDIA);
    expect(namesOn(page)).toEqual(["wind.jpg", "rain.jpg"]);
    expect(words(page)).toContain("2 files added.");
    await send([]);
    expect(words(await read(owned, MEDIA))).toContain("Choose at least one file.");
    const refused = await send([await jpeg("snow.jpg"), text("no picture")]);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("notes.txt");
    const damaged = new File([(await picture()).slice(0, 200)], "half.jpg", { type: "image/jpeg" });
    await send([damaged, await jpeg("hail.jpg")]);
    const after = await read(owned, MEDIA);
    expect(words(after)).toMatch(/1 file added. half.jpg .*\./);
    expect(namesOn(after)).toEqual(["hail.jpg", "wind.jpg", "rain.jpg"]);
    expect((await send([await jpeg("fog.jpg")], { origin: "https://evil.example" })).status).toBe(403);
    expect((await send([await jpeg("fog.jpg")], {})).status).toBe(403);
    expect((await send([], { origin: "https://evil.example" })).status).toBe(403);
    expect(namesOn(await read(owned, MEDIA))).toHaveLength(3);
  });

  test("is closed to other accounts, and does not contain files of other blogs", async () => {
    const owned = await startOwned();
    await upload(owned, "rain.jpg");
    const { id } = fileNamed(owned, "rain.jpg");
    const eve = owned.newAccount("eve@example.com");
    owned.newBlog({ slug: "eves" }, eve);
    const eves = await owned.browserOf(eve);
    for (const path of ["", "/alt-text", "/unused", `/${id}`])
      expect([path, (await eves.get(MEDIA + path)).status]).toEqual([path, 403]);
    for (const path of ["", "/unused", `/${id}/delete`, `/${id}/alt-text`])
      expect([path, (await eves.post(MEDIA + path, {})).status]).toEqual([path, 403]);
    const theirs = "/admin/blogs/eves/media";
    expect((await eves.get(`${theirs}/${id}`)).status).toBe(404);
    for (const act of ["delete", "alt-text"])
      expect((await eves.post(`${theirs}/${id}/${act}`, { post: "1", alt: "x" })).status).toBe(404);
    owned.pass(2 * DAY);
    await eves.post(`${theirs}/unused`, { id: String(id) });
    expect(namesOn(await read(owned, MEDIA))).toEqual(["rain.jpg"]);
    for (const strange of ["x", "0", "99", "1e3", "-1"])
      expect([strange, (await owned.browser.get(`${MEDIA}/${strange}`)).status]).toEqual([strange, 404]);
  });
});

describe("a file's page", () => {
  test("shows where the file is used, its size and its URL", async () => {
    const owned = await startOwned();
    const rain = await upload(owned, "rain.jpg");
    const { id, folder } = fileNamed(owned, "rain.jpg");
    await owned.fetch(`/media/${folder}/sizes/thumb.webp`);
    await write(owned, { title: "Rain", content: rain, status: "published" });
    const gone = await write(owned, { title: "Gone", content: rain });
    await owned.api("DELETE", `/posts/${gone.id}`);
    await write(owned, { title: "Named", content: `<p><a href="/media/${folder}/rain.jpg">that</a></p>` });
    const page = await read(owned, `${MEDIA}/${id}`);
    expect(words(page)).toMatch(/Used by Rain Published Gone in the trash Find links to this file/);
    expect(words(page)).toMatch(/64 × 48/);
    expect(words(page)).toMatch(/On disk: [\d.]+ \w+ Full size [\d.]+ \w+ Thumbnail [\d.]+ \w+/);
    expect(page).toContain(`value="${owned.platen.config.url}/media/${folder}/rain.jpg"`);
    expect(page).not.toContain("Delete this file");
    const thorough = words(await read(owned, `${MEDIA}/${id}?look=everywhere`));
    expect(thorough).toContain("The text of “Named”, which links to it");
  });
});

describe("deleting a file", () => {
  test("deletes an unused file from the disk", async () => {
    const owned = await startOwned();
    await upload(owned, "rain.jpg");
    const { id, folder } = fileNamed(owned, "rain.jpg");
    expect(await read(owned, `${MEDIA}/${id}`)).toContain("Delete this file");
    for (const headers of STRANGE)
      expect((await owned.browser.post(`${MEDIA}/${id}/delete`, {}, headers)).status).toBe(403);
    expect(existsSync(mediaFolder(owned.platen, folder))).toBe(true);
    const done = await owned.browser.post(`${MEDIA}/${id}/delete`, {});
    expect([done.status, done.headers.get("location")]).toEqual([303, MEDIA]);
    expect((await owned.fetch(`/media/${folder}/rain.jpg`)).status).toBe(404);
    expect(words(await read(owned, MEDIA))).toContain("rain.jpg deleted.");
    passUntilFilesDeleted(owned);
    expect(existsSync(mediaFolder(owned.platen, folder))).toBe(false);
  });

  test("is rejected while a post, the trash, a revision, an unsaved text, a setting or a footer uses it", async () => {
    const owned = await startOwned();
    const add = async (name: string) => ({ html: await upload(owned, name), ...fileNamed(owned, name) });
    const files = {
      shown: await add("shown.jpg"),
      trashed: await add("trashed.jpg"),
      former: await add("former.jpg"),
      unsaved: await add("unsaved.jpg"),
      named: await add("named.jpg"),
      footer: await add("footer.jpg"),
    };
    const { shown, trashed, former, unsaved, named, footer } = files;
    await write(owned, { title: "Rain", content: shown.html });
    const gone = await write(owned, { title: "Gone", content: trashed.html });
    await owned.api("DELETE", `/posts/${gone.id}`);
    const changed = await write(owned, { title: "Changed", content: former.html });
    await owned.api("PATCH", `/posts/${changed.id}`, { post: { content: "<p>No picture</p>" } });
    const place = { accountId: owned.account.id, blogId: owned.blog.id, postKey: "new" };
    const fields = { title: "Begun", content: unsaved.html };
    storeUnsaved(owned.platen, place, { fields: JSON.stringify(fields), version: "", stamps: ["1"] });
    await write(owned, {
      title: "Named",
      content: `<p><a href="/media/${named.folder}/named.jpg">it</a></p>`,
    });
    configureBlog(owned.platen, owned.blog, {
      footer: `<img src="/media/${footer.folder}/footer.jpg" alt="">`,
    });
    const reasons = {
      shown: "used by “Rain”",
      trashed: "used by “Gone”, which is in the trash",
      former: "used by an older version of “Changed”",
      unsaved: "used by unsaved changes to “Begun”",
      named: "used by the text of “Named”, which links to it",
      footer: "used by the footer of “",
    };
    for (const [name, { id, folder }] of Object.entries(files)) {
      const reason = reasons[name as keyof typeof files];
      const refused = await owned.browser.post(`${MEDIA}/${id}/delete`, {});
      expect([name, refused.status]).toEqual([name, 409]);
      expect(await refused.text()).toContain(reason);
      expect(existsSync(mediaFolder(owned.platen, folder))).toBe(true);
      expect(await read(owned, `${MEDIA}/${id}`)).not.toContain("Delete this file");
    }
    owned.pass(2 * DAY);
    expect(words(await read(owned, `${MEDIA}/unused`))).toContain("Nothing to delete");
    const ids = Object.values(files).map(({ id }) => String(id));
    await owned.browser.post(`${MEDIA}/unused`, { id: ids });
    expect(words(await read(owned, MEDIA))).toMatch(/0 files deleted. 6 files kept/);
  });

  test("deletes all unused files after a confirmation, except those of the last day or used since", async () => {
    const owned = await startOwned();
    const rain = await upload(owned, "rain.jpg");
    await upload(owned, "wind.jpg");
    const { folder } = fileNamed(owned, "wind.jpg");
    owned.pass(2 * DAY);
    await upload(owned, "new.jpg");
    const page = await read(owned, `${MEDIA}/unused`);
    expect(words(page)).toContain("Delete 2 files?");
    expect(namesOn(page)).toEqual(["wind.jpg", "rain.jpg"]);
    const id = [...page.matchAll(/name="id" value="(\d+)"/g)].map(([, id = ""]) => id);
    for (const headers of STRANGE)
      expect((await owned.browser.post(`${MEDIA}/unused`, { id }, headers)).status).toBe(403);
    await write(owned, { title: "Rain", content: rain });
    const done = await owned.browser.post(`${MEDIA}/unused`, {
      id: [...id, String(fileNamed(owned, "new.jpg").id)],
    });
    expect(done.headers.get("location")).toBe(`${MEDIA}?show=unused`);
    const after = await read(owned, MEDIA);
    expect(namesOn(after)).toEqual(["new.jpg", "rain.jpg"]);
    expect(words(after)).toContain("1 file deleted. 2 files kept");
    passUntilFilesDeleted(owned);
    expect(existsSync(mediaFolder(owned.platen, folder))).toBe(false);
  });
});
