import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { blogs, keys } from "../../src/database/schema";
import { receive, receiveRaw } from "../outgoing/receivers";
import { picture, uploadForm } from "../support/pictures";
import { type Endpoint, startEndpoint } from "./endpoint";

const startWithPrivateHosts = () => startEndpoint({ privateHosts: ["127.0.0.1"] });
const jpeg = async (name = "cat.jpg") => new File([await picture()], name, { type: "image/jpeg" });
const filesOf = (at: Endpoint) => {
  const folder = join(at.platen.config.data, "media");
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
};

async function uploadPhoto(at: Endpoint, query = ""): Promise<string> {
  return (await at.multipart([["file", await jpeg()]], `/micropub/media${query}`)).location;
}

const postOf = async (at: Endpoint, url: string) =>
  (await at.api("GET", "/posts?status=all&include_content=true")).body.posts.find(
    (post: { url: string }) => post.url === url,
  );

describe("a photo", () => {
  test("uploaded before and given by its URL is an attachment and the preview image", async () => {
    const at = startEndpoint();
    const address = await uploadPhoto(at);
    const { location } = await at.create({ content: ["Look"], photo: [{ value: address, alt: "A cat" }] });
    const post = await postOf(at, location);
    expect(post).toMatchObject({
      preview_image: address,
      attachments: [{ filename: "cat.jpg", alt: "A cat", url: address }],
    });
    expect(post.content.html).toMatch(
      /^<figure class="attachment attachment-image" data-sgid="[^"]+"><img class="u-photo" src="http:\/\/blog.test\/media\/[^"]+"[^>]*alt="A cat"[^>]*><\/figure><p>Look<\/p>/,
    );
    expect((await at.source(location)).photo).toEqual([{ value: address, alt: "A cat" }]);
  });

  test("given as featured represents the post and is returned as such", async () => {
    const at = startEndpoint();
    const [one, two] = [await uploadPhoto(at), await uploadPhoto(at)];
    const { location } = await at.create({ name: ["Two"], photo: [one, two], featured: [two] });
    expect((await postOf(at, location)).preview_image).toBe(two);
    expect((await at.source(location)).featured).toEqual([two]);
    await at.json({ action: "update", url: location, delete: ["featured"] });
    expect((await postOf(at, location)).preview_image).toBe(one);
    expect((await at.source(location)).featured).toBeUndefined();
  });

  test("is enough for a post", async () => {
    const at = startEndpoint();
    const { status, location } = await at.multipart([
      ["h", "entry"],
      ["photo", await jpeg()],
    ]);
    expect(status).toBe(201);
    expect(await at.page(location)).toContain("u-photo");
  });

  test("gets its alt text from mp-photo-alt, in a form and in multipart", async () => {
    const at = startEndpoint();
    const [one, two] = [await uploadPhoto(at), await uploadPhoto(at)];
    const form = await at.form(
      `content=a&photo[]=${one}&photo[]=${two}&mp-photo-alt[]=One&mp-photo-alt[]=Two`,
    );
    expect((await at.source(form.location)).photo).toEqual([
      { value: one, alt: "One" },
      { value: two, alt: "Two" },
    ]);
    const files = await at.multipart([
      ["photo[]", await jpeg("a.jpg")],
      ["photo[]", await jpeg("b.jpg")],
      ["mp-photo-alt[]", ""],
      ["mp-photo-alt[]", "Second"],
    ]);
    expect((await at.source(files.location)).photo).toEqual([
      expect.stringContaining("/a.jpg"),
      { value: expect.stringContaining("/b.jpg"), alt: "Second" },
    ]);
  });

  test("embedded in the content by its snippet is shown there only, in HTML and in Markdown", async () => {
    const at = startEndpoint();
    const { body } = await at.multipart([["file", await jpeg()]], "/micropub/media");
    for (const content of [{ html: `<p>Before</p>${body.html}` }, `Before\n\n${body.html}`]) {
      const { location } = await at.create({ content: [content], photo: [body.url] });
      const { html } = (await postOf(at, location)).content;
      expect(html.match(/<figure/g)).toHaveLength(1);
      expect(html).toMatch(/Before[\s\S]*<img class="u-photo"/);
    }
  });

  test("stays if the JSON API sends content.html back", async () => {
    const at = startEndpoint();
    const address = await uploadPhoto(at);
    const { location } = await at.create({ content: ["*Look*"], photo: [address] });
    const before = await postOf(at, location);
    at.pass(1000);
    await at.api("PATCH", `/posts/${before.id}`, { post: { content: before.content.html } });
    expect(await postOf(at, location)).toEqual(before);
    const edited = before.content.html.replace("Look", "See");
    const { body } = await at.api("PATCH", `/posts/${before.id}`, { post: { content: edited } });
    expect(body.post.content.html).toBe(edited);
    expect((await at.source(location)).photo).toEqual([address]);
  });

  test("removed from the post is not shown any more; an added one is", async () => {
    const at = startEndpoint();
    const [one, two] = [await uploadPhoto(at), await uploadPhoto(at)];
    const { location } = await at.create({ content: ["Look"], photo: [{ value: one, alt: "One" }] });
    await at.json({ action: "update", url: location, add: { photo: [{ value: two, alt: "Two" }] } });
    expect((await at.source(location)).photo).toEqual([
      { value: one, alt: "One" },
      { value: two, alt: "Two" },
    ]);
    await at.json({ action: "update", url: location, delete: { photo: [one] } });
    expect((await at.source(location)).photo).toEqual([{ value: two, alt: "Two" }]);
    expect((await postOf(at, location)).attachments).toHaveLength(1);
  });

  test("of another blog of the account is copied", async () => {
    const at = startEndpoint();
    at.newBlog({ slug: "garden" });
    const address = await uploadPhoto(at);
    const { location } = await at.form(`content=a&photo=${address}&mp-destination=http://blog.test/@garden/`);
    const [photo] = (await at.source(location)).photo;
    expect(photo).toMatch(/^http:\/\/blog\.test\/media\/[0-9a-f]{32}\/cat\.jpg$/);
    expect(photo).not.toBe(address);
    expect(await at.page(location)).toContain('class="u-photo"');
  });

  test("of another account is neither copied nor attached", async () => {
    const at = startEndpoint();
    const stranger = at.newAccount("eve@example.com");
    at.newBlog({ slug: "eve" }, stranger);
    const headers = { authorization: `Bearer ${at.newKey({}, stranger)}` };
    const theirs = (await at.multipart([["file", await jpeg()]], "/micropub/media", headers)).location;
    const { location } = await at.create({ content: ["a"], photo: [theirs] });
    expect((await postOf(at, location)).attachments).toEqual([]);
  });

  test("that is no picture rejects the whole post, and leaves no file", async () => {
    const at = startEndpoint();
    const { status, body } = await at.multipart([
      ["content", "a"],
      ["photo[]", await jpeg()],
      ["photo[]", new File(["<svg/>"], "x.svg")],
    ]);
    expect([status, body.error]).toEqual([422, "invalid_request"]);
    expect((await at.query("q=source")).body.items).toEqual([]);
    expect(filesOf(at)).toEqual([]);
  });

  test("leaves no file if its post is rejected or is a duplicate", async () => {
    const at = startEndpoint();
    const refusedFields: [string, string][] = [
      ["name", "x".repeat(501)],
      // Known only after rendering.
      ["content[html]", "<i>".repeat(500)],
    ];
    for (const field of refusedFields) {
      const refused = await at.multipart([field, ["photo", await jpeg()]]);
      expect([refused.status, filesOf(at)]).toEqual([422, []]);
    }
    const send = async () =>
      at.multipart([
        ["content", "Twice"],
        ["photo", await jpeg()],
      ]);
    const first = await send();
    expect((await send()).location).toBe(first.location);
    expect(filesOf(at)).toHaveLength(1);
  });
});

describe("a photo given by a URL of another site", () => {
  test("is downloaded, also after redirects, and keeps its alt text", async () => {
    const at = startWithPrivateHosts();
    const bytes = await picture();
    const { port, seen } = receive(({ url }) =>
      url.endsWith("/go") ? Response.redirect("/there/sea%20view.jpg") : new Response(bytes),
    );
    const photo = [{ value: `http://127.0.0.1:${port}/go`, alt: "The sea" }];
    const { location, body } = await at.create({ content: ["a"], photo });
    expect(body).not.toHaveProperty("warnings");
    expect((await at.source(location)).photo).toEqual([
      { value: expect.stringMatching(/^http:\/\/blog\.test\/media\/.*\/sea%20view\.jpg$/), alt: "The sea" },
    ]);
    expect(seen[0]?.headers.get("user-agent")).toStartWith("Platen/");
  });

  const failing: [string, () => Promise<string> | string][] = [
    [
      "an error from the server",
      () => `http://127.0.0.1:${receive(() => new Response("", { status: 404 })).port}/x`,
    ],
    ["no picture at the URL", () => `http://127.0.0.1:${receive(() => new Response("<html>")).port}/x`],
    ["no server", () => "http://127.0.0.1:1/x.jpg"],
    ["a private address", () => "http://10.0.0.5/x.jpg"],
    ["an unknown host name", () => "http://nowhere.invalid/x.jpg"],
    [
      "a truncated body",
      async () => {
        const { port } = await receiveRaw((socket) => {
          socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\xff\xd8\xff");
        });
        return `http://127.0.0.1:${port}/x`;
      },
    ],
  ];
  test.each(failing)(
    "stays a link if there is %s: the post is created with a warning",
    async (_why, serve) => {
      const at = startWithPrivateHosts();
      const address = await serve();
      const { status, location, body } = await at.create({
        content: ["a"],
        photo: [{ value: address, alt: "X" }],
      });
      expect(status).toBe(201);
      expect(body.warnings[0]).toStartWith(`${address} could not be fetched`);
      const source = await at.source(location);
      expect(source.photo).toEqual([{ value: address, alt: "X" }]);
      expect(source["platen-warning"]).toEqual([expect.stringContaining(address)]);
      expect(await at.page(location)).toContain(`<img class="u-photo" src="${address}" alt="X"`);
      expect(filesOf(at)).toEqual([]);
      for (const line of at.log) expect(line).toMatch(/^A photo at [\w.:]+ could not be fetched: /);
    },
  );

  test("shows authors nothing of the server's network; the log has the reason", async () => {
    const at = startWithPrivateHosts();
    const { port, seen } = receive(() => new Response("secret"));
    const author = at.newAccount("eve@example.com");
    at.platen.db.update(blogs).set({ accountId: author.id }).run();
    at.platen.db.update(keys).set({ accountId: author.id }).run();
    const warnings = [];
    for (const host of [`127.0.0.1:${port}`, "127.0.0.1:1", "10.0.0.5", "nowhere.invalid"]) {
      const { body } = await at.create({ content: ["a"], photo: [`http://${host}/x.jpg`] });
      warnings.push(body.warnings[0].replace(host, "HOST"));
    }
    expect(new Set(warnings)).toEqual(new Set(["http://HOST/x.jpg could not be fetched."]));
    expect(seen).toEqual([]);
    expect(at.log[0]).toContain("127.0.0.1 is a loopback address; only admins can be allowed to reach it");
  });

  test("that could not be downloaded is not tried again by an update that sends it back", async () => {
    const at = startWithPrivateHosts();
    const { port, seen } = receive(() => new Response("", { status: 404 }));
    const address = `http://127.0.0.1:${port}/x`;
    const { location } = await at.create({ content: ["a"], photo: [address] });
    const replace = await at.source(location);
    expect((await at.json({ action: "update", url: location, replace })).status).toBe(204);
    expect(seen).toHaveLength(1);
    expect(await at.source(location)).toEqual(replace);
  });
});

test("a video has a player", async () => {
  const at = startEndpoint();
  const film = Buffer.concat([
    Buffer.from("00000018667479706d703432000000006d70343269736f6d", "hex"),
    Buffer.alloc(600),
  ]);
  const { location } = await at.multipart([
    ["content", "Watch"],
    ["video", new File([film], "film.mp4")],
  ]);
  expect(await at.page(location)).toMatch(/<video class="u-video" controls[^>]*film\.mp4/);
  expect((await at.source(location)).video).toEqual([expect.stringContaining("/film.mp4")]);
});

test("an upload of the JSON API works as a photo, and a Micropub photo as an attachment", async () => {
  const at = startEndpoint();
  const response = await at.fetch("/api/v1/attachments", {
    method: "POST",
    body: uploadForm(await picture(), "tree.jpg", { "attachment[caption]": "A tree" }),
    headers: { authorization: `Bearer ${at.key}` },
  });
  const { attachment } = (await response.json()) as { attachment: { url: string } };
  const { location } = await at.create({ photo: [attachment.url] });
  expect(await at.page(location)).toContain('alt="A tree"');
});
