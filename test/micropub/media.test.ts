import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { blogs, posts } from "../../src/database/schema";
import { picture } from "../support/pictures";
import { SECOND } from "../support/platen";
import { passUntilFilesDeleted } from "../support/purged-files";
import { type Endpoint, startEndpoint } from "./endpoint";

const MEDIA = "/micropub/media";
const file = async (name = "cat.jpg", type = "image/jpeg") => new File([await picture()], name, { type });
const upload = async (at: Endpoint, name = "cat.jpg") => at.multipart([["file", await file(name)]], MEDIA);

describe("an upload", () => {
  test("returns 201 with its URL and a snippet for content", async () => {
    const at = startEndpoint();
    const { status, location, body } = await upload(at);
    expect(status).toBe(201);
    expect(body).toEqual({
      url: location,
      html: expect.stringMatching(
        /^<action-text-attachment sgid="[^"]+" content-type="image\/jpeg" filename="cat.jpg"/,
      ),
      filename: "cat.jpg",
      media_type: "image",
    });
    expect(location).toMatch(/^http:\/\/blog\.test\/media\/[0-9a-f]{32}\/cat\.jpg$/);
  });

  test.each([
    ["in a field with another name", "photo"],
    ["in a field whose name ends with brackets", "file[]"],
  ])("is accepted %s", async (_what, field) => {
    const at = startEndpoint();
    expect((await at.multipart([[field, await file()]], MEDIA)).status).toBe(201);
  });

  test("without an extension or with a wrong type gets its type from its bytes", async () => {
    const at = startEndpoint();
    const { body } = await at.multipart([["file", await file("photo", "image/jpg")]], MEDIA);
    expect(body.filename).toBe("photo.jpg");
  });

  test.each(["description", "alt", "caption"])("gets its alt text from the field %s", async (field) => {
    const at = startEndpoint();
    const { location } = await at.multipart(
      [
        [field, "A cat"],
        ["file", await file()],
      ],
      MEDIA,
    );
    expect((await at.ask(`${MEDIA}?q=source&url=${location}`)).body.alt).toBe("A cat");
    const post = await at.create({ photo: [location] });
    expect(await at.page(post.location)).toContain('alt="A cat"');
  });

  test("goes to the blog named by field, query or header", async () => {
    const at = startEndpoint();
    const garden = at.newBlog({ slug: "garden" });
    await at.multipart(
      [
        ["blog_id", String(garden.id)],
        ["file", await file()],
      ],
      MEDIA,
    );
    await at.multipart(
      [
        ["file", await file()],
        ["mp-destination", "http://blog.test/@garden/"],
      ],
      MEDIA,
    );
    await at.multipart([["file", await file()]], `${MEDIA}?blog_id=${garden.id}`);
    await at.multipart([["file", await file()]], MEDIA, { "x-blog-id": String(garden.id) });
    expect((await at.ask(`${MEDIA}?q=source&blog_id=${garden.id}`)).body.items).toHaveLength(4);
    expect((await at.ask(`${MEDIA}?q=source`)).body.items).toEqual([]);
  });

  test("accepts a key in a field before the file, but not after it", async () => {
    const at = startEndpoint();
    const anonymous = { authorization: "" };
    const before = await at.multipart(
      [
        ["access_token", at.key],
        ["file", await file()],
      ],
      MEDIA,
      anonymous,
    );
    expect(before.status).toBe(201);
    const behind = await at.multipart(
      [
        ["file", await file()],
        ["access_token", at.key],
      ],
      MEDIA,
      anonymous,
    );
    expect(behind.status).toBe(401);
    expect((await at.multipart([["file", await file()]], MEDIA, anonymous)).status).toBe(401);
  });

  test("needs the scope media or create", async () => {
    const at = startEndpoint();
    const send = async (scope: string) =>
      at.multipart([["file", await file()]], MEDIA, {
        authorization: `Bearer ${at.newKey({ scopes: [scope] })}`,
      });
    expect([(await send("media")).status, (await send("create")).status]).toEqual([201, 201]);
    expect(await send("read")).toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
  });

  test.each([
    ["no file", [["description", "x"]], 400],
    ["text instead of a file", [["file", "x"]], 400],
    ["SVG", [["file", new File(["<svg/>"], "x.svg")]], 422],
    ["HEIC", [["file", new File(["\0\0\0\x18ftypheic\0\0\0\0mif1heic"], "x.heic")]], 422],
  ] as [string, [string, string | File][], number][])(
    "%s is rejected with a message",
    async (_what, parts, status) => {
      const at = startEndpoint();
      const response = await at.multipart(parts, MEDIA);
      expect(response.status).toBe(status);
      expect(response.body).toMatchObject({
        error: "invalid_request",
        error_description: expect.any(String),
      });
      expect((await at.ask(`${MEDIA}?q=source`)).body.items).toEqual([]);
    },
  );

  test("of JSON or an empty body is rejected, naming the field to send", async () => {
    const at = startEndpoint();
    for (const body of ["{}", "", "[]", "nonsense"]) {
      const { status, body: error } = await at.ask(MEDIA, { method: "POST", body });
      expect([status, error.errors]).toEqual([400, { file: ["must be one file"] }]);
    }
  });
});

describe("an uploaded file", () => {
  test("is listed newest first, in pages", async () => {
    const at = startEndpoint();
    expect((await at.ask(`${MEDIA}?q=last`)).body).toEqual({});
    const urls: string[] = [];
    for (const name of ["a.jpg", "b.jpg", "c.jpg"]) {
      urls.unshift((await upload(at, name)).location);
      at.pass(SECOND);
    }
    const list = async (query = "") => {
      const { body } = await at.ask(`${MEDIA}?q=source${query}`);
      return body.items.map((item: { url: string }) => item.url);
    };
    expect(await list()).toEqual(urls);
    expect(await list("&limit=1&offset=1")).toEqual([urls[1] as string]);
    expect(await list("&filter=B.j")).toEqual([urls[1] as string]);
    const { body } = await at.ask(`${MEDIA}?q=last`);
    expect(body).toMatchObject({
      url: urls[0],
      published: "2026-03-01T12:00:02.000Z",
      width: 64,
      height: 48,
    });
    expect((await at.ask(`${MEDIA}?q=source&limit=no`)).status).toBe(400);
    expect((await at.ask(`${MEDIA}?q=nothing`)).status).toBe(400);
  });

  test.each([
    [
      "a form",
      (at: Endpoint, url: string) =>
        at.ask(MEDIA, { method: "POST", body: new URLSearchParams({ action: "delete", url }) }),
    ],
    [
      "JSON",
      (at: Endpoint, url: string) =>
        at.ask(MEDIA, { method: "POST", body: JSON.stringify({ action: "delete", url }) }),
    ],
    [
      "the query",
      (at: Endpoint, url: string) =>
        at.ask(`${MEDIA}?action=delete&url=${encodeURIComponent(url)}`, { method: "POST" }),
    ],
  ])("is deleted by %s", async (_how, remove) => {
    const at = startEndpoint();
    const { location } = await upload(at);
    const folder = join(at.platen.config.data, new URL(location).pathname, "..");
    expect(existsSync(folder)).toBe(true);
    expect((await remove(at, location)).status).toBe(204);
    expect((await at.fetch(location)).status).toBe(404);
    expect((await at.ask(`${MEDIA}?q=source`)).body.items).toEqual([]);
    expect((await remove(at, location)).status).toBe(404);
    passUntilFilesDeleted(at);
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    ["as its photo", (url: string) => ({ photo: [url] })],
    ["in its text", (url: string) => ({ content: [`![](${url})`] })],
  ])("is not deleted while a post contains it %s, even a post in the trash", async (_how, properties) => {
    const at = startEndpoint();
    const { location } = await upload(at);
    const post = await at.create(properties(location));
    const remove = () =>
      at.ask(MEDIA, { method: "POST", body: new URLSearchParams({ action: "delete", url: location }) });
    expect(await remove()).toMatchObject({ status: 409, body: { error: "invalid_request" } });
    await at.form(`action=delete&url=${post.location}`);
    expect((await remove()).status).toBe(409);
    expect((await at.fetch(location)).status).toBe(200);
  });

  test.each(["headerHtml", "footerHtml", "customCss"] as const)(
    "is not deleted while the blog's %s contains it",
    async (column) => {
      const at = startEndpoint();
      const { location } = await upload(at);
      const shown = `<img src="${new URL(location).pathname}">`;
      at.platen.db
        .update(blogs)
        .set({ [column]: shown })
        .run();
      const remove = () =>
        at.ask(MEDIA, { method: "POST", body: new URLSearchParams({ action: "delete", url: location }) });
      expect((await remove()).status).toBe(409);
      expect((await at.fetch(location)).status).toBe(200);
      at.platen.db
        .update(blogs)
        .set({ [column]: "" })
        .run();
      expect((await remove()).status).toBeLessThan(300);
    },
  );

  test("is not deleted if a post starts to use it during the deletion; later it is", async () => {
    const at = startEndpoint();
    const { location } = await upload(at);
    const remove = () =>
      at.ask(MEDIA, { method: "POST", body: new URLSearchParams({ action: "delete", url: location }) });
    const removed = remove();
    await at.create({ content: [{ html: `<p>${location}</p>` }] });
    expect((await removed).status).toBe(409);
    expect((await at.fetch(location)).status).toBe(200);
    at.platen.db.delete(posts).run();
    expect((await remove()).status).toBe(204);
  });

  test("cannot be listed or deleted by another account", async () => {
    const at = startEndpoint();
    const { location } = await upload(at);
    const stranger = at.newAccount("eve@example.com");
    at.newBlog({ slug: "eve" }, stranger);
    const headers = { authorization: `Bearer ${at.newKey({}, stranger)}` };
    const url = encodeURIComponent(location);
    expect((await at.ask(`${MEDIA}?q=source&url=${url}`, { headers })).status).toBe(403);
    expect((await at.ask(`${MEDIA}?action=delete&url=${url}`, { method: "POST", headers })).status).toBe(403);
    expect((await at.ask(`${MEDIA}?q=source`, { headers: { authorization: "" } })).status).toBe(401);
  });
});
