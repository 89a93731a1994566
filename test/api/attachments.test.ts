import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { picture, uploadForm } from "../support/pictures";
import { startPlaten, type TestPlaten } from "../support/platen";

async function upload(
  platen: TestPlaten,
  filename = "cat.jpg",
  fields: Record<string, string> = {},
  file?: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const response = await platen.fetch("/api/v1/attachments", {
    method: "POST",
    body: uploadForm(file ?? (await picture()), filename, fields),
    headers: { authorization: `Bearer ${platen.key}`, ...headers },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const create = async (platen: TestPlaten, post: object) =>
  (await platen.api("POST", "/posts", { post: { title: "With pictures", status: "published", ...post } }))
    .body;

const mediaFiles = ({ platen }: TestPlaten) => {
  try {
    return readdirSync(join(platen.config.data, "media"), { recursive: true });
  } catch {
    return [];
  }
};

describe("uploading", () => {
  test("an upload returns 201 with the snippet, the filename for alt_text and the Location", async () => {
    const platen = startPlaten();
    const { status, headers, body } = await upload(platen, "My cat.jpg", {
      "attachment[caption]": "A <cat>",
    });
    expect(status).toBe(201);
    const { attachment } = body;
    expect(attachment).toMatchObject({ filename: "My cat.jpg", media_type: "image", caption: "A <cat>" });
    expect(attachment.html).toStartWith("<action-text-attachment sgid=");
    expect(attachment.html).toContain(
      'content-type="image/jpeg" filename="My cat.jpg" caption="A &lt;cat&gt;"',
    );
    expect(headers.get("location")).toBe(attachment.url);
    const served = await platen.fetch(attachment.url);
    expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });

  test("an upload creates the thumbnail; other sizes are created on their first request", async () => {
    const at = startPlaten();
    const { attachment } = (await upload(at, "wide.jpg", {}, await picture(4000, 1000))).body;
    const requestRendition = async (name: string) => {
      expect((await at.fetch(new URL(`sizes/${name}`, attachment.url).href)).status).toBe(200);
      const names = mediaFiles(at).map((path) => /sizes\/(\w+)\.webp$/.exec(String(path))?.[1]);
      return names.filter((found) => found !== undefined).sort();
    };
    expect(await requestRendition("thumb.webp")).toEqual(["thumb"]);
    expect(await requestRendition("960.webp")).toEqual(["960", "thumb"]);
    expect(await requestRendition("480.webp")).toEqual(["480", "960", "thumb"]);
  });

  test("a second file with the same name in a blog gets a number", async () => {
    const platen = startPlaten();
    await upload(platen);
    expect((await upload(platen)).body.attachment.filename).toBe("cat-2.jpg");
    const second = platen.newBlog({ title: "Second" });
    const elsewhere = await upload(platen, "cat.jpg", { blog_id: String(second.id) });
    expect(elsewhere.body.attachment.filename).toBe("cat.jpg");
  });

  test("a request without a file or without a form returns 400", async () => {
    const platen = startPlaten();
    const send = async (body: FormData | string, headers = {}) => {
      const authorization = `Bearer ${platen.key}`;
      const init = { method: "POST", body, headers: { authorization, ...headers } };
      return (await platen.fetch("/api/v1/attachments", init)).status;
    };
    const empty = new FormData();
    empty.append("blog_id", "1");
    expect(await send(empty)).toBe(400);
    expect(await send("{}", { "content-type": "application/json" })).toBe(400);
    expect(await send("--x\r\ntruncated", { "content-type": "multipart/form-data; boundary=x" })).toBe(400);
    expect(mediaFiles(platen).filter((name) => name !== ".incoming")).toEqual([]);
  });

  const refusals: [string, Uint8Array<ArrayBuffer>][] = [
    ["an SVG", new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ["text called .jpg", new TextEncoder().encode("just text")],
    ["an empty file", new Uint8Array()],
    ["a HEIC", new Uint8Array(Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"))],
  ];
  test.each(refusals)(
    "%s returns 422 naming the file, whatever its extension, and leaves no file",
    async (_what, file) => {
      const platen = startPlaten();
      const { status, body } = await upload(platen, "cat.jpg", {}, file);
      expect(status).toBe(422);
      expect(body.errors.file[0]).toBeString();
      expect(mediaFiles(platen).filter((name) => name !== ".incoming")).toEqual([]);
    },
  );

  test("a poster that is no image returns 422 and leaves no file", async () => {
    const at = startPlaten();
    const body = uploadForm(await picture(), "cat.jpg");
    body.set("attachment[poster]", new File(["text"], "poster.jpg"));
    const headers = { authorization: `Bearer ${at.key}` };
    const response = await at.fetch("/api/v1/attachments", { method: "POST", headers, body });
    expect([response.status, await response.json()]).toEqual([
      422,
      { message: "poster must be an image.", errors: { poster: ["must be an image"] } },
    ]);
    expect(mediaFiles(at).filter((name) => name !== ".incoming")).toEqual([]);
  });

  test("two files return 400 and leave no file", async () => {
    const at = startPlaten();
    const body = uploadForm(await picture(), "cat.jpg");
    body.append("attachment[file]", new File([await picture()], "dog.jpg"));
    const headers = { authorization: `Bearer ${at.key}` };
    const response = await at.fetch("/api/v1/attachments", { method: "POST", headers, body });
    expect([response.status, await response.json()]).toEqual([
      400,
      { message: "Send one attachment[file] per request.", errors: { file: ["must be one file"] } },
    ]);
    expect(mediaFiles(at).filter((name) => name !== ".incoming")).toEqual([]);
  });

  test("an image over 20 MB returns 422 and leaves no file", async () => {
    const platen = startPlaten();
    const huge = new Uint8Array(20 * 1024 * 1024 + 1);
    huge.set(await picture());
    const { status, body } = await upload(platen, "cat.jpg", {}, huge);
    expect([status, body.errors.file.length]).toEqual([422, 1]);
    expect(mediaFiles(platen).filter((name) => name !== ".incoming")).toEqual([]);
  });

  test("an upload to another account's blog returns 403, to an unknown blog 404, and leaves no file", async () => {
    const platen = startPlaten();
    const hers = platen.newBlog({ title: "Hers" }, platen.newAccount("m@example.com"));
    expect((await upload(platen, "a.jpg", { blog_id: String(hers.id) })).status).toBe(403);
    expect((await upload(platen, "a.jpg", { blog_id: "99" })).status).toBe(404);
    expect((await upload(platen, "a.jpg", { blog_id: "x" })).status).toBe(422);
    expect(mediaFiles(platen).filter((name) => name !== ".incoming")).toEqual([]);
  });

  test("a repeated Idempotency-Key returns the first response", async () => {
    const platen = startPlaten();
    const header = { "idempotency-key": "u1" };
    const sent = await Promise.all(
      Array.from({ length: 4 }, () => upload(platen, "cat.jpg", {}, undefined, header)),
    );
    for (const { status, body } of sent) expect([status, body]).toEqual([201, sent[0]?.body]);
    expect(platen.platen.db.$client.query("SELECT filename FROM blobs").all()).toEqual([
      { filename: "cat.jpg" },
    ]);
    const other = await upload(platen, "dog.jpg", {}, await picture(20, 20), header);
    expect(other.status).toBe(422);
  });

  test("file and stored response are saved together: a crash in between leaves neither", async () => {
    const platen = startPlaten();
    const sql = platen.platen.db.$client;
    const header = { "idempotency-key": "u1" };
    sql.run("CREATE TRIGGER dies BEFORE INSERT ON idempotent_answers BEGIN SELECT RAISE(ABORT, 'dead'); END");
    expect((await upload(platen, "cat.jpg", {}, undefined, header)).status).toBe(500);
    expect(sql.query("SELECT * FROM blobs").all()).toEqual([]);
    expect(mediaFiles(platen).filter((name) => name !== ".incoming")).toEqual([]);
    sql.run("DROP TRIGGER dies");
    for (let again = 0; again < 2; again++)
      expect((await upload(platen, "cat.jpg", {}, undefined, header)).body.attachment.filename).toBe(
        "cat.jpg",
      );
  });
});

describe("a picture in a post", () => {
  test("is an attachment, a figure, and the preview image", async () => {
    const platen = startPlaten();
    const { attachment } = (await upload(platen, "cat.jpg", { "attachment[caption]": "Our cat" })).body;
    const { post } = await create(platen, {
      content: `<p>Look:</p>${attachment.html}`,
      alt_text: { "cat.jpg": "A cat" },
    });
    expect(post.preview_image).toBe(attachment.url);
    expect(post.attachments).toEqual([
      {
        id: expect.any(Number),
        blob_id: attachment.blob_id,
        filename: "cat.jpg",
        content_type: "image/jpeg",
        byte_size: attachment.byte_size,
        media_type: "image",
        url: attachment.url,
        thumbnail: attachment.thumbnail,
        alt: "A cat",
      },
    ]);
    expect(post.content.html).toContain(`src="${attachment.url}"`);
    expect(post.content.html).toContain('alt="A cat"');
    expect(post.content.html).toContain("<figcaption>Our cat</figcaption>");
    expect((await platen.fetch(post.attachments[0].thumbnail)).headers.get("content-type")).toBe(
      "image/webp",
    );
  });

  test("is loaded from the host of the page", async () => {
    const platen = startPlaten();
    const { attachment } = (await upload(platen)).body;
    await create(platen, { content: attachment.html });
    const page = await (await platen.fetch("/with-pictures")).text();
    expect(page).toContain(`src="${new URL(attachment.url).pathname}"`);
  });

  test("stays an attachment element in Markdown", async () => {
    const platen = startPlaten();
    const { attachment } = (await upload(platen)).body;
    const { post } = await create(platen, {
      content: `# Hi\n\nSome *words*.\n\n${attachment.html}\n\nMore.`,
      content_type: "markdown",
    });
    expect(post.attachments).toHaveLength(1);
    expect(post.content.html).toContain("<em>words</em>");
    expect(post.content.html).toContain("<figure");
  });

  test("is unchanged if content.html is sent back", async () => {
    const platen = startPlaten();
    const { attachment } = (await upload(platen, "cat.jpg", { "attachment[caption]": "Our cat" })).body;
    const { post } = await create(platen, { content: `<p>Look:</p>${attachment.html}<p>Nice.</p>` });
    const same = await platen.api("PATCH", `/posts/${post.id}`, { post: { content: post.content.html } });
    expect(same.body.post).toEqual(post);
    const longer = `${post.content.html}<p>More.</p>`;
    const changed = await platen.api("PATCH", `/posts/${post.id}`, { post: { content: longer } });
    expect(changed.body.post.content.html).toBe(longer);
    expect(changed.body.post.attachments).toEqual(post.attachments);
  });

  test("with a forged sgid, or one of another blog, is removed with a warning", async () => {
    const platen = startPlaten();
    const { attachment } = (await upload(platen)).body;
    const second = platen.newBlog({ title: "Second" });
    for (const [html, blog] of [
      [attachment.html.replace(/sgid="[^"]+"/, 'sgid="MS4x.forged"'), 1],
      [attachment.html, second.id],
    ]) {
      const { body } = await platen.api("POST", "/posts", {
        blog_id: blog,
        post: { title: "a", content: `<p>x</p>${html}` },
      });
      expect(body.warnings).toEqual([expect.stringContaining("cat.jpg")]);
      expect(body.post.content.html).toBe("<p>x</p>");
      expect(body.post.attachments).toEqual([]);
    }
  });
});

describe("alt text", () => {
  const createWithPictures = async (altText?: unknown) => {
    const platen = startPlaten();
    const one = (await upload(platen, "one.jpg", { "attachment[caption]": "Caption one" })).body.attachment;
    const two = (await upload(platen, "two.jpg")).body.attachment;
    const { post } = await create(platen, { content: one.html + two.html, alt_text: altText });
    const alts = (answer: { attachments: { alt: string }[] }) => answer.attachments.map(({ alt }) => alt);
    const change = async (fields: object) =>
      alts((await platen.api("PATCH", `/posts/${post.id}`, { post: fields })).body.post);
    return { alts: alts(post), change, html: post.content.html as string };
  };

  test("is an object or a list, keyed by the exact filenames (rule 1)", async () => {
    expect((await createWithPictures({ "one.jpg": "First", "two.jpg": "Second" })).alts).toEqual([
      "First",
      "Second",
    ]);
    const list = [
      { filename: "one.jpg", alt: "First" },
      { filename: "two.jpg", alt: "Second" },
    ];
    expect((await createWithPictures(list)).alts).toEqual(["First", "Second"]);
    expect((await createWithPictures({ "ONE.jpg": "First" })).alts[0]).toBe("Caption one");
  });

  test("replaces all alt texts if sent (rule 2), and stays if left out of an update (rule 3)", async () => {
    const { change } = await createWithPictures({ "one.jpg": "First", "two.jpg": "Second" });
    expect(await change({ title: "Other" })).toEqual(["First", "Second"]);
    expect(await change({ alt_text: { "two.jpg": "New" } })).toEqual(["Caption one", "New"]);
    expect(await change({ alt_text: {} })).toEqual(["Caption one", ""]);
  });

  test("of a file without an entry is its caption, or else empty (rule 4)", async () => {
    const { alts, html } = await createWithPictures();
    expect(alts).toEqual(["Caption one", ""]);
    expect(html).toContain('alt="Caption one"');
  });

  test("that is an empty string counts as an entry and takes precedence over the caption", async () => {
    expect((await createWithPictures({ "one.jpg": "" })).alts).toEqual(["", ""]);
  });

  test("that is new renders the content again", async () => {
    const platen = startPlaten();
    const { attachment } = (await upload(platen)).body;
    const { post } = await create(platen, { content: attachment.html });
    const { body } = await platen.api("PATCH", `/posts/${post.id}`, {
      post: { alt_text: { "cat.jpg": "Tom" } },
    });
    expect(body.post.content.html).toContain('alt="Tom"');
  });
});

test("for a file that is not in the post returns a warning", async () => {
  const platen = startPlaten();
  const { attachment } = (await upload(platen, "cat.jpg")).body;
  const sent = { title: "A", content: attachment.html, alt_text: { "cat.jpg": "A cat", "cat.jpeg": "Typo" } };
  const { status, body } = await platen.api("POST", "/posts", { post: sent });
  expect([status, body.warnings]).toEqual([
    201,
    ['alt_text names "cat.jpeg", which is not an attachment of this post.'],
  ]);
  expect(body.post.attachments[0].alt).toBe("A cat");
});
