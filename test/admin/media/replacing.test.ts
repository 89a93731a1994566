import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { configureBlog } from "../../../src/blogs/blog-settings";
import { JOB_KINDS } from "../../../src/commands/channels-and-job-kinds";
import { blobs, contents, events, posts, revisions } from "../../../src/database/schema";
import { jobRunner } from "../../../src/jobs/job-runner";
import { findJob, listJobs, updateJob } from "../../../src/jobs/jobs";
import { mediaTotalsOf } from "../../../src/media/files/blobs";
import { mediaFolder } from "../../../src/media/files/media-folder";
import { findUnsaved, storeUnsaved } from "../../../src/posts/unsaved-posts";
import { checkMedia } from "../../../src/upkeep/check/media-check";
import { addWebhook } from "../../../src/webhooks/webhook-urls";
import { picture, uploadForm } from "../../support/pictures";
import { DAY } from "../../support/platen";
import { passUntilFilesDeleted } from "../../support/purged-files";
import { type Owned, startOwned } from "../owner";
import { altsOf, fileNamed, MEDIA, namesOn, read, STRANGE, upload, words, write } from "./files";

const ORIGIN = { origin: "http://blog.test" };

/** A blog with one picture, rain.jpg. */
async function startWithRain() {
  const owned = await startOwned();
  const html = await upload(owned, "rain.jpg");
  const before = fileNamed(owned, "rain.jpg");
  const send = (file: Blob | null, name: string, headers: Record<string, string> = ORIGIN) => {
    const body = new FormData();
    body.append("sent", "by hand");
    if (file) body.append("file", file, name);
    return owned.browser.send(`${MEDIA}/${before.id}/replace`, { method: "POST", headers, body });
  };
  return {
    owned,
    html,
    before,
    send,
    /** Replaces a picture, and runs the jobs that follow. */
    async replace(file: Uint8Array<ArrayBuffer>, name: string) {
      const answer = await send(new Blob([file]), name);
      await runJobs(owned);
      const now = owned.platen.db.select().from(blobs).get();
      return { answer, now: now as NonNullable<typeof now> };
    },
  };
}

async function runJobs({ platen }: Owned): Promise<void> {
  const runner = jobRunner(platen, JOB_KINDS);
  runner.step();
  await runner.settled();
}

const htmlOf = async ({ api }: Owned, id: number) =>
  (await api("GET", `/posts/${id}`)).body.post.content.html;

describe("replacing a file", () => {
  test("replaces it everywhere, and keeps its alt texts and its id", async () => {
    const { owned, html, before, replace } = await startWithRain();
    const alt_text = { "rain.jpg": "Rain on slate" };
    const { id } = await write(owned, { title: "Rain", content: html, status: "published", alt_text });
    expect(await (await owned.fetch("/rain")).text()).toContain(`/media/${before.folder}/rain.jpg`);
    const { answer, now } = await replace(await picture(1200, 600), "IMG_0815.JPG");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${MEDIA}/${before.id}`]);
    expect(words(await read(owned, `${MEDIA}/${before.id}`))).toContain(
      "rain.jpg replaced. Posts that use it are updated shortly. Check that the alt texts still match.",
    );
    expect(now).toMatchObject({ id: before.id, filename: "rain.jpg", width: 1200, height: 600 });
    expect(now.folder).not.toBe(before.folder);
    const page = await (await owned.fetch("/rain")).text();
    expect(page).not.toContain(before.folder);
    expect(page).toContain(`/media/${now.folder}/rain.jpg" width="1200" height="600" alt="Rain on slate"`);
    expect(page).toContain(`/media/${now.folder}/sizes/960.webp 960w`);
    expect(await altsOf(owned, id)).toEqual(alt_text);
    expect(mediaTotalsOf(owned.platen, owned.blog)).toMatchObject({ files: 1, bytes: now.byteSize });
    expect((await checkMedia(owned.platen, () => {})).problems).toEqual([]);
    expect(listJobs(owned.platen, { page: 1, limit: 9 }).jobs[0]?.report?.message).toBe(
      "rain.jpg was replaced and updated in 1 post.",
    );
    passUntilFilesDeleted(owned);
    expect(existsSync(mediaFolder(owned.platen, before.folder))).toBe(false);
  });

  test("redirects its old URLs, also after a second replacement", async () => {
    const { owned, before, replace } = await startWithRain();
    await replace(await picture(1200, 600), "a.jpg");
    const second = fileNamed(owned, "rain.jpg");
    const { now } = await replace(await picture(700, 600), "b.jpg");
    for (const { folder } of [before, second]) {
      const redirectsOf = async (below: string) => {
        const answer = await owned.fetch(`/media/${folder}/${below}`);
        expect([below, answer.status, answer.headers.get("cache-control")]).toEqual([below, 301, "no-cache"]);
        return answer.headers.get("location")?.replace(now.folder, "NEW");
      };
      expect(await redirectsOf("rain.jpg")).toBe("/media/NEW/rain.jpg");
      expect(await redirectsOf("sizes/480.webp")).toBe("/media/NEW/sizes/480.webp");
      expect(await redirectsOf("sizes/960.webp")).toBe("/media/NEW/rain.jpg");
      expect(await redirectsOf("sizes/thumb.webp")).toBe("/media/NEW/sizes/thumb.webp");
      expect((await owned.fetch(`/media/${folder}/.original`)).status).toBe(404);
    }
    expect((await owned.fetch(`/media/${now.folder}/rain.jpg`)).status).toBe(200);
    expect((await owned.fetch(`/media/${now.folder}/sizes/480.webp`)).status).toBe(200);
  });

  test("may change the format: filename, alt texts and content follow", async () => {
    const { owned, html, before, replace } = await startWithRain();
    const { id } = await write(owned, {
      title: "Rain",
      content: html,
      alt_text: { "rain.jpg": "Rain" },
      preview_image: "rain.jpg",
    });
    await owned.api("PATCH", `/posts/${id}`, { post: { title: "Much rain" } });
    const place = { accountId: owned.account.id, blogId: owned.blog.id, postKey: id };
    const fields = { title: "Rain", content: html, previewImage: "rain.jpg", altText: [["rain.jpg", "Fog"]] };
    storeUnsaved(owned.platen, place, { fields: JSON.stringify(fields), version: "", stamps: ["1"] });
    const { now } = await replace(await picture(300, 200, "png"), "x.png");
    expect(now).toMatchObject({ id: before.id, filename: "rain.png", contentType: "image/png" });
    expect(await altsOf(owned, id)).toEqual({ "rain.png": "Rain" });
    expect(await htmlOf(owned, id)).toContain(
      `/media/${now.folder}/rain.png" width="300" height="200" alt="Rain"`,
    );
    expect(findUnsaved(owned.platen, place)?.fields).toEqual({
      ...fields,
      previewImage: "rain.png",
      altText: [["rain.png", "Fog"]],
    });
    const storedRevisions = owned.platen.db.select().from(revisions).all();
    expect(storedRevisions.map(({ fields }) => fields.altText)).toEqual([{ "rain.png": "Rain" }]);
    const served = await owned.fetch(`/media/${now.folder}/rain.png`);
    expect(served.headers.get("content-type")).toBe("image/png");
  });

  test("keeps a video's poster, or its absence", async () => {
    const owned = await startOwned();
    const film = (words: string) =>
      new Uint8Array(
        Buffer.from(
          `1a45dfa39f4286810142f7810142f2810442f381084282847765626d${Buffer.from(words).toString("hex")}`,
          "hex",
        ),
      );
    const headers = { authorization: `Bearer ${owned.key}` };
    for (const [name, poster] of [
      ["shown.webm", await picture(300, 200)],
      ["plain.webm", null],
    ] as const) {
      const body = uploadForm(film("first"), name);
      if (poster) body.append("attachment[poster]", new File([poster], "poster.jpg"));
      await owned.fetch("/api/v1/attachments", { method: "POST", headers, body });
      const before = fileNamed(owned, name);
      const posterOf = async ({ folder }: typeof before) => {
        const answer = await owned.fetch(`/media/${folder}/poster.webp`);
        return [answer.status, poster && (await answer.bytes())];
      };
      const kept = await posterOf(before);
      const form = new FormData();
      form.append("file", new File([film("second")], name));
      const answer = await owned.browser.send(`${MEDIA}/${before.id}/replace`, {
        method: "POST",
        headers: ORIGIN,
        body: form,
      });
      expect(answer.status).toBe(303);
      const now = fileNamed(owned, name);
      expect(kept[0]).toBe(poster ? 200 : 404);
      expect(await posterOf(now)).toEqual(kept);
      expect(await (await owned.fetch(`/media/${now.folder}/${name}`)).bytes()).toEqual(film("second"));
    }
    expect((await checkMedia(owned.platen, () => {})).problems).toEqual([]);
  });

  test("updates posts, revisions, unsaved posts, headers, CSS and properties", async () => {
    const { owned, before, replace } = await startWithRain();
    const address = `/media/${before.folder}/rain.jpg`;
    const link = `<p><a href="http://blog.test${address}">it</a>, small: <img src="/media/${before.folder}/sizes/thumb.webp"></p>`;
    const linked = await write(owned, { title: "Linked", content: link });
    const markdown = await write(owned, {
      title: "Typed",
      content: `![rain](${address})`,
      content_type: "markdown",
    });
    await owned.api("PATCH", `/posts/${linked.id}`, { post: { content: `${link}<p>More</p>` } });
    const place = { accountId: owned.account.id, blogId: owned.blog.id, postKey: "new" };
    storeUnsaved(owned.platen, place, {
      fields: JSON.stringify({ content: link }),
      version: "",
      stamps: ["1"],
    });
    configureBlog(owned.platen, owned.blog, {
      header: `<img src="${address}" alt="">`,
      css: `body { background: url(${address}) }`,
    });
    await owned.fetch("/micropub", {
      method: "POST",
      headers: { authorization: `Bearer ${owned.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        type: ["h-entry"],
        properties: { content: ["Own"], photo: [{ value: `http://blog.test${address}`, alt: "Rain" }] },
      }),
    });
    const { now } = await replace(await picture(30, 20), "x.jpg");
    const dump = owned.platen.db.$client
      .query(
        "SELECT html || coalesce(source, '') || properties AS says FROM posts JOIN contents ON post_id = id",
      )
      .all();
    const all = JSON.stringify([
      dump,
      owned.platen.db.$client
        .query("SELECT fields FROM revisions UNION SELECT fields FROM unsaved_posts")
        .all(),
      owned.platen.db.$client.query("SELECT * FROM blogs").all(),
    ]);
    expect(all).not.toContain(before.folder);
    expect(all.split(`/media/${now.folder}/`).length).toBeGreaterThan(12);
    expect(await htmlOf(owned, linked.id)).toContain(`<img src="/media/${now.folder}/sizes/thumb.webp"`);
    expect(await htmlOf(owned, markdown.id)).toContain(`/media/${now.folder}/rain.jpg`);
    expect(await (await owned.fetch("/")).text()).toContain(`/media/${now.folder}/rain.jpg`);
    expect(listJobs(owned.platen, { page: 1, limit: 9 }).jobs[0]?.report?.message).toBe(
      "rain.jpg was replaced and updated in 1 header, footer or CSS of a blog, 3 posts, 1 revision, 1 unsaved post.",
    );
  });

  test("updates the URLs of crops", async () => {
    const { owned, before, replace } = await startWithRain();
    const content = `<p><img src="/media/${before.folder}/sizes/480-1x1-50-50.webp"></p>`;
    const { id } = await write(owned, { title: "Crop", content });
    const { now } = await replace(await picture(30, 20), "x.jpg");
    expect(await htmlOf(owned, id)).toContain(`<img src="/media/${now.folder}/rain.jpg"`);
  });

  test("updates long texts too", async () => {
    const { owned, html, before, send } = await startWithRain();

    const address = `/media/${before.folder}/rain.jpg`;
    const prose = (end: string) =>
      `${html}${"<p>A goat looked at the quay.</p>\n".repeat(11_000)}<p><a href="${address}">it</a> ${end}</p>`;
    const shown = await write(owned, {
      title: "Shown",
      content: prose("One"),
      alt_text: { "rain.jpg": "Rain" },
    });
    const change = (id: number, content: string) => owned.api("PATCH", `/posts/${id}`, { post: { content } });
    await change(shown.id, prose("Two"));
    const typed = await write(owned, {
      title: "Typed",
      content: `![rain](${address})\n\n${"A goat looked at the quay.\n\n".repeat(9_500)}`,
      content_type: "markdown",
    });
    const met = await write(owned, { title: "Met", content: prose("Three") });
    const place = { accountId: owned.account.id, blogId: owned.blog.id, postKey: "new" };
    const unsaved = { content: prose("Four"), altText: [["rain.jpg", "Fog"]] };
    storeUnsaved(owned.platen, place, { fields: JSON.stringify(unsaved), version: "", stamps: ["1"] });
    await send(new Blob([await picture(90, 60)]), "x.jpg");
    const now = fileNamed(owned, "rain.jpg");
    const runner = jobRunner(owned.platen, JOB_KINDS);
    runner.step();
    await runner.settled();
    const { message } = listJobs(owned.platen, { page: 1, limit: 9 }).jobs[0]?.report ?? {};
    expect(message).toBe("rain.jpg was replaced and updated in 3 posts, 1 revision, 1 unsaved post.");
    const alike = (text: string) => text.replaceAll(now.folder, before.folder);
    const source = async (id: number) =>
      (await owned.api("GET", `/posts/${id}?include_source=true`)).body.post.content.source;
    expect(alike(await source(shown.id)) === prose("Two")).toBe(true);
    expect(alike(await source(met.id)) === prose("Three")).toBe(true);
    expect(await source(typed.id)).toStartWith(`![rain](/media/${now.folder}/rain.jpg)`);
    expect(await htmlOf(owned, shown.id)).toContain(
      `/media/${now.folder}/rain.jpg" width="90" height="60" alt="Rain"`,
    );
    expect(findUnsaved(owned.platen, place)?.fields).toEqual({
      ...unsaved,
      content: unsaved.content.replaceAll(before.folder, now.folder),
    });
  });

  test("does not change times, record events or add revisions", async () => {
    const { owned, html, replace } = await startWithRain();
    addWebhook(owned.platen, owned.blog, "https://hooks.example/");
    const text = `<p>It rained.</p>${html}<pre><code class="language-js">rain()</code></pre>`;
    const made = [
      await write(owned, {
        title: "Rain",
        content: text,
        status: "published",
        alt_text: { "rain.jpg": 'A "wet" <b>' },
      }),
      await write(owned, { title: "Sent back", content: await htmlOf(owned, 1), status: "published" }),
      await write(owned, { title: "Typed", content: `It *rained*.\n\n${html}`, content_type: "markdown" }),
    ];
    const rows = () => {
      const { id, updatedAt, publishedAt } = posts;
      return owned.platen.db.select({ id, updatedAt, publishedAt }).from(posts).all();
    };
    const [times, told] = [rows(), owned.platen.db.select().from(events).all().length];
    owned.pass(DAY);
    await replace(await picture(2000, 900), "x.jpg");
    const storedContents = () => owned.platen.db.select().from(contents).all();
    const after = storedContents();
    expect(after.map(({ html }) => html.includes("1440w"))).toEqual([true, true, true]);
    for (const { id } of made) {
      const { source, source_type } = (await owned.api("GET", `/posts/${id}?include_source=true`)).body.post
        .content;
      await owned.api("PATCH", `/posts/${id}`, { post: { content: source, content_type: source_type } });
    }
    expect(storedContents()).toEqual(after);
    expect(rows()).toEqual(times);
    expect(owned.platen.db.select().from(events).all()).toHaveLength(told);
    expect(owned.platen.db.select().from(revisions).all()).toEqual([]);
  });

  test("keeps the old file while a text uses its URL", async () => {
    const { owned, before, replace } = await startWithRain();
    await replace(await picture(30, 20), "x.jpg");
    await write(owned, {
      title: "Late",
      content: `<p><a href="/media/${before.folder}/rain.jpg">it</a></p>`,
    });
    const refused = await owned.browser.post(`${MEDIA}/${before.id}/delete`, {});
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("“Late”")]);
  });
});

describe("a replacement", () => {
  test("is rejected from another site, for a video, with another kind of file, and without a file", async () => {
    const { owned, before, send } = await startWithRain();
    const mp4 = new Blob([
      Buffer.concat([Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom"), Buffer.alloc(600)]),
    ]);
    const jpeg = new Blob([await picture()]);
    for (const headers of STRANGE) expect((await send(jpeg, "x.jpg", headers)).status).toBe(403);
    const refusals: [Blob | null, string][] = [
      [mp4, "clip.mp4 must be an image, like the file it replaces."],
      [new Blob(["text"]), "notes.txt must be a JPEG"],
      [new Blob([(await picture()).slice(0, 200)]), "half.jpg "],
      [null, "file must be chosen"],
    ];
    for (const [file, says] of refusals) {
      const answer = await send(file, says.split(" ")[0] ?? "");
      expect([says, answer.status]).toEqual([says, 422]);
      expect(await answer.text()).toContain(says);
    }
    expect({ ...fileNamed(owned, "rain.jpg"), placeholder: "" }).toEqual({ ...before, placeholder: "" });
    expect((await owned.fetch(`/media/${before.folder}/rain.jpg`)).status).toBe(200);
    expect(namesOn(await read(owned, MEDIA))).toEqual(["rain.jpg"]);
    expect((await checkMedia(owned.platen, () => {})).remarks).toEqual([]);
    expect(listJobs(owned.platen, { page: 1, limit: 9 }).total).toBe(0);
  });

  test("gets a conflict if another one is in progress", async () => {
    const { owned, before, send } = await startWithRain();
    const files = [await picture(90, 60), await picture(80, 50)];
    const answers = await Promise.all(files.map((file) => send(new Blob([file]), "x.jpg")));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const refused = answers.find(({ status }) => status === 409) as Response;
    expect(words(await refused.text())).toContain("This file has been replaced by another one.");
    await runJobs(owned);
    expect(fileNamed(owned, "rain.jpg").folder).not.toBe(before.folder);
    expect(await checkMedia(owned.platen, () => {})).toMatchObject({ problems: [], remarks: [] });
  });

  test("updates thousands of posts in batches and resumes after an interruption", async () => {
    const { owned, html, before, send } = await startWithRain();
    const { id } = await write(owned, { title: "Rain", content: html });
    const { $client } = owned.platen.db;
    $client.run(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO posts (id, blog_id, status, title, slug, created_at, updated_at) SELECT i, 1, 'draft', 'P', 'p' || i, 1, 1 FROM n`);
    $client.run(
      `INSERT INTO contents SELECT posts.id, source_type, html, text, source FROM posts, contents WHERE post_id = ${id} AND posts.id > 1`,
    );
    await send(new Blob([await picture(90, 60)]), "x.jpg");
    const runner = jobRunner(owned.platen, JOB_KINDS);
    const remainingJobs = () =>
      $client
        .query<{ n: number }, []>(`SELECT count(*) AS n FROM contents WHERE instr(html, '${before.folder}')`)
        .get()?.n;
    runner.step();
    const seen = new Set([remainingJobs()]);
    while ((remainingJobs() ?? 0) > 200) {
      await new Promise((turn) => setImmediate(turn));
      seen.add(remainingJobs());
    }
    await runner.stop();
    expect(seen.size).toBeGreaterThan(10);
    expect(remainingJobs()).toBeGreaterThan(0);
    await runJobs(owned);
    expect(remainingJobs()).toBe(0);
    expect(listJobs(owned.platen, { page: 1, limit: 9 }).jobs[0]?.report?.message).toContain("in 500 posts.");
  });

  test("resumes after an upgrade from a version with other bookmarks", async () => {
    const { owned, html, send } = await startWithRain();
    await write(owned, { title: "Rain", content: html });
    await send(new Blob([await picture(90, 60)]), "x.jpg");
    updateJob(owned.platen, 1, { bookmark: { kind: 1, after: 1, changed: [0, 1, 0, 0] } });
    await runJobs(owned);
    expect(findJob(owned.platen, 1)).toMatchObject({
      state: "done",
      report: { message: "rain.jpg was replaced and updated in 1 post." },
    });
  });
});
