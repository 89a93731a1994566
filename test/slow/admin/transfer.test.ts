import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { JOB_KINDS } from "../../../src/commands/channels-and-job-kinds";
import { accounts, jobs } from "../../../src/database/schema";
import { jobRunner } from "../../../src/jobs/job-runner";
import { startOwned } from "../../admin/owner";
import { FIXTURES } from "../../transfer/start-transfer";
import { zipped } from "../../transfer/zipped";

const WXR = await Bun.file(join(FIXTURES, "wordpress/garden.wordpress.001.xml")).text();
const PAGE = "/admin/blogs/ada/transfer";

/** An owner, and a function that runs jobs. */
async function startImporting() {
  const owned = await startOwned();
  const { browser, platen } = owned;
  const read = async (path: string) => (await browser.get(path)).text();
  const runner = jobRunner(platen, JOB_KINDS);
  const send = async (fields: Record<string, string>, file?: File) => {
    const form = new FormData();
    const token = /name="token" value="([^"]+)"/.exec(await read(PAGE))?.[1] ?? "";
    for (const [name, value] of Object.entries({ token, ...fields })) form.append(name, value);
    if (file) form.append("file", file);
    return await browser.send(PAGE, { method: "POST", body: form });
  };
  return {
    ...{ ...owned, read, send },
    async work() {
      runner.step();
      await runner.settled();
    },
    /** Ids by which forms name the uploads of the owner's first blog. */
    uploads: () => readdirSync(join(platen.config.data, "imports", String(owned.blog.id))),
  };
}

test("a file is previewed, imported and undone, each as a job", async () => {
  const at = await startImporting();
  const look = { format: "auto", no_fetch: "yes", do: "look" };
  const looked = await at.send(look, new File([WXR], "../my garden.xml"));
  expect([looked.status, looked.headers.get("location")]).toEqual([303, "/admin/jobs/1"]);
  await at.work();
  const report = await at.read("/admin/jobs/1");
  expect(report).toContain("Preview of my garden.xml");
  expect(report).toContain(
    "To import: 3 posts, 0 pages, 2 komments, 0 files. Nothing has been imported yet.",
  );
  expect(report).toContain(
    "<span>Not imported: the shortcode [contact-form-7], which stays unchanged. Posts and pages: 1</span>",
  );
  expect(report).toContain(
    "<span>Not imported: pingbacks and rejected comments (2 times). Posts and pages: 1</span>",
  );
  expect((await at.api("GET", "/posts?status=all")).body.posts).toEqual([]);

  const [, onward = ""] = /href="(\/admin\/blogs\/ada\/transfer\?[^"]+)"/.exec(report) ?? [];
  const confirmation = await at.read(onward.replaceAll("&amp;", "&"));
  expect(confirmation).toContain("Import my garden.xml?");
  const hidden = [...confirmation.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name, value]) => [name, value],
  );
  expect((await at.send({ ...Object.fromEntries(hidden), do: "bring" })).headers.get("location")).toBe(
    "/admin/jobs/2",
  );
  await at.work();
  expect(await at.read("/admin/jobs/2")).toContain("Imported 3 posts, 0 pages, 2 komments, 0 files.");
  expect((await at.api("GET", "/posts?status=all")).body.posts).toHaveLength(3);
  expect((await at.fetch("/2013/05/pruning/")).headers.get("location")).toBe("http://blog.test/pruning");
  expect(at.uploads()).toEqual([]);

  const list = await at.read(PAGE);
  expect(list).toContain("my garden.xml");
  expect(list).toContain("3 posts, 0 files");
  expect(await at.read(`${PAGE}/1`)).toContain("This permanently deletes 3 posts and 0 files");
  await at.browser.post(`${PAGE}/1`, { do: "undo" });
  await at.work();
  const undone = await at.read("/admin/jobs/3");
  expect(undone).toContain("Undone: 3 posts, 0 files.");
  expect(undone).toContain(`<a class="button" href="${PAGE}">All imports</a>`);
  expect(at.platen.db.select().from(jobs).where(eq(jobs.id, 3)).get()).toMatchObject({ done: 3, total: 3 });
  expect((await at.api("GET", "/posts?status=all")).body.posts).toEqual([]);
});

test("a truncated WordPress export is rejected, and imported as far as possible if the box is ticked", async () => {
  const at = await startImporting();
  const file = () => new File([WXR.slice(0, WXR.lastIndexOf("<item>") + 20)], "cut.xml");
  await at.send({ format: "auto", no_fetch: "yes", do: "look" }, file());
  await at.work();
  const refused = await at.read("/admin/jobs/1");
  expect(refused).toContain("cut.xml: The file is truncated");
  expect(refused).not.toContain("To import:");
  await at.send({ format: "auto", no_fetch: "yes", partial: "yes", do: "look" }, file());
  await at.work();
  const report = await at.read("/admin/jobs/2");
  expect(report).toContain("To import: ");
  const [, onward = ""] = /href="(\/admin\/blogs\/ada\/transfer\?[^"]+)"/.exec(report) ?? [];
  const confirmation = await at.read(onward.replaceAll("&amp;", "&"));
  const hidden = [...confirmation.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name, value]) => [name, value],
  );
  await at.send({ ...Object.fromEntries(hidden), do: "bring" });
  await at.work();
  expect(await at.read("/admin/jobs/3")).toContain("Imported ");
});

test("an unexpected error is one sentence in the admin, and its stack is in the log", async () => {
  const at = await startImporting();
  at.platen.db.$client.run("DROP TABLE import_records");
  await at.send({ format: "auto", no_fetch: "yes", do: "look" }, new File([WXR], "garden.xml"));
  await at.work();
  const report = await at.read("/admin/jobs/1");
  expect(report).toContain("This is an error in Platen. Please report it, with the details");
  expect(report).not.toMatch(/no such table|at \w+ \(/);
  expect(at.log.join("\n")).toMatch(/no such table: import_records[\s\S]*at \w+ \(/);
});

test("long titles in an export are shortened in the report", async () => {
  const at = await startImporting();
  const long = "x".repeat(300_000);
  const items = Array.from(
    { length: 12 },
    (_, n) =>
      `<item><title>Tea ${n} ${long}</title><guid>${n}</guid><wp:post_id>${n}</wp:post_id>` +
      `<wp:post_type>post</wp:post_type><wp:status>publish</wp:status><content:encoded><![CDATA[<odd></odd>` +
      `<img src="https://old.example/${n}.jpg">]]></content:encoded></item>`,
  );
  const wxr = `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items.join("")}</channel></rss>`;
  await at.send({ format: "auto", no_fetch: "yes", do: "look" }, new File([wxr], "garden.xml"));
  await at.work();
  const report = await at.read("/admin/jobs/1");
  expect(report).toMatch(/Tea 11 x+ … x+/);
  expect(report).toMatch(/old\.example\/1\.jpg \(in Tea 1 x+ … x+\): file not found/);
  expect(report.length).toBeLessThan(100_000);
});

test("long lists in a report are folded", async () => {
  const at = await startImporting();
  const [head = "", ...items] = WXR.split("<item>");
  const [first = ""] = (items[0] ?? "").split("</item>");
  const short = first.replaceAll(/<(wp:comment|content:encoded)>.*?<\/\1>/gs, "");
  const many = Array.from({ length: 1001 }, (_, number) =>
    short
      .replaceAll("pruning", `pruning-${number}`)
      .replaceAll(/>11<|p=11</g, (id) => id.replace("<", `${number}<`)),
  );
  const wxr = `${head}${many.map((item) => `<item>${item}</item>`).join("")}</channel></rss>`;
  const previewText = async (text: string, job: number) => {
    await at.send({ format: "wordpress", no_fetch: "yes", do: "look" }, new File([text], "garden.xml"));
    await at.work();
    return await at.read(`/admin/jobs/${job}`);
  };
  const addresses = "<summary><strong>Note</strong> <span>Changed URLs (old URLs redirect):";
  const long = await previewText(wxr, 1);
  expect(long).toContain("To import: 1,001 posts, 0 pages, ");
  expect(long).toContain(
    `<details>${addresses} 1,001</span></summary>\n<ul><li>/2013/05/pruning-0 → /pruning-0</li>`,
  );
  expect(long).toContain(
    '<li>/2013/05/pruning-999 → /pruning-999</li></ul>\n<p class="hint">And 1 more.</p>',
  );
  const few = await previewText(WXR, 2);
  expect(few).toContain(`<details open>${addresses} `);
  expect(few).toContain("<li>/2013/05/pruning → /pruning</li>");
});

test("a file that is no export, and a form without a file, are reported", async () => {
  const at = await startImporting();
  await at.send({ format: "auto", do: "look" }, new File(["hello"], "hello.txt"));
  await at.work();
  expect(await at.read("/admin/jobs/1")).toContain("hello.txt has an unknown format");
  await at.send(
    { format: "auto", do: "look" },
    new File([zipped([{ path: "a.md", content: "# A" }]).slice(0, -9)], "cut.zip"),
  );
  await at.work();
  const cut = await at.read("/admin/jobs/2");
  expect(cut).toContain(
    '<p class="lead">cut.zip cannot be read as a ZIP archive: it is truncated. Export or copy it again. Nothing was imported.</p>',
  );
  expect(cut).toContain(`<a class="button" href="${PAGE}">Choose another file</a>`);
  expect((await at.send({ format: "auto", do: "look" })).status).toBe(422);
  expect((await at.send({ format: "word", do: "look" }, new File(["a"], "a.doc"))).status).toBe(422);
  expect((await at.send({ format: "auto", do: "look" }, new File([], "empty.xml"))).status).toBe(422);
  expect(at.uploads()).toHaveLength(2);
});

test("forms of other sites, other accounts' blogs and other accounts' imports are rejected", async () => {
  const at = await startImporting();
  const form = new FormData();
  form.append("do", "look");
  form.append("file", new File([WXR], "a.xml"));
  const foreign = await at.browser.send(PAGE, {
    method: "POST",
    body: form,
    headers: { "sec-fetch-site": "cross-site" },
  });
  expect(foreign.status).toBe(403);
  const other = at.newAccount("eve@example.com");
  at.newBlog({ title: "Eve", slug: "eve" }, other);
  const eve = await at.browserOf(other);
  expect((await eve.get(PAGE)).status).toBe(403);
  await at.send({ format: "wordpress", no_fetch: "yes", do: "look" }, new File([WXR], "a.xml"));
  const [upload = ""] = at.uploads();
  await at.send({ upload, format: "wordpress", fetch: "no", do: "bring" });
  await at.work();
  await at.work();
  expect(await at.read("/admin/jobs/2")).toContain("Imported 3 posts");
  expect((await eve.get("/admin/blogs/eve/transfer/1")).status).toBe(404);
  expect((await eve.post("/admin/blogs/eve/transfer/1", { do: "undo" })).status).toBe(404);
});

test("an account can have ten unfinished jobs; an upload for another one is rejected and not stored", async () => {
  const at = await startImporting();
  const previewUpload = () =>
    at.send({ format: "auto", no_fetch: "yes", do: "look" }, new File([WXR], "garden.xml"));
  for (let sent = 0; sent < 10; sent++) expect((await previewUpload()).status).toBe(303);
  const refused = await previewUpload();
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("You have 10 unfinished jobs.");
  expect(at.uploads()).toHaveLength(10);
});

test("a rejected file is reported next to the form, which keeps its choices", async () => {
  const at = await startImporting();
  const fields = { format: "ghost", no_fetch: "yes", do: "look" };
  for (const [file, says] of [
    [undefined, "Export file must be chosen."],
    [new File([], "empty.json"), "Export file is empty."],
  ] as const) {
    const refused = await at.send(fields, file);
    expect(refused.status).toBe(422);
    const page = await refused.text();
    expect(page).toContain(says);
    expect(page).toContain('<option value="ghost" selected>');
    expect(page).toMatch(/name="no_fetch" value="yes" checked/);
  }
});

test("the same file sent twice at once is imported once", async () => {
  const at = await startImporting();
  const previewUpload = () =>
    at.send({ format: "auto", no_fetch: "yes", do: "look" }, new File([WXR], "garden.xml"));
  await Promise.all([previewUpload(), previewUpload()]);
  const uploads = at.uploads();
  expect(uploads).toHaveLength(2);
  const importUpload = (upload: string) => at.send({ upload, format: "wordpress", fetch: "no", do: "bring" });
  await Promise.all(uploads.map(importUpload));
  for (let done = 0; done < 4; done++) await at.work();
  const reports = await Promise.all([3, 4].map((job) => at.read(`/admin/jobs/${job}`)));
  expect(
    reports.filter((report) => report.includes("Imported 3 posts, 0 pages, 2 komments, 0 files.")),
  ).toHaveLength(1);
  expect(
    reports.filter((report) => report.includes("Nothing new: 3 posts and pages already exist.")),
  ).toHaveLength(1);
  expect((await at.api("GET", "/posts?status=all")).body.posts).toHaveLength(3);
  expect(at.uploads()).toEqual([]);
});

test("an interrupted upload leaves no file and starts no job", async () => {
  const at = await startImporting();
  const token = /name="token" value="([^"]+)"/.exec(await at.read(PAGE))?.[1] ?? "";
  const field = (name: string, value: string) =>
    `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const begin = `${field("token", token)}${field("format", "auto")}${field("do", "look")}--cut\r\nContent-Disposition: form-data; name="file"; filename="a.xml"\r\n\r\n${WXR.slice(0, 1000)}`;
  const body = new ReadableStream({
    type: "bytes",
    start(controller) {
      controller.enqueue(new TextEncoder().encode(begin));
      controller.close();
    },
  });
  const headers = { "content-type": "multipart/form-data; boundary=cut" };
  const broken = await at.browser.send(PAGE, { method: "POST", body, headers });
  expect(broken.status).toBe(400);
  expect(at.uploads()).toEqual([]);
  expect(at.platen.db.select().from(jobs).all()).toEqual([]);
});

test("an uploaded file can be imported only by its account and into its blog", async () => {
  const at = await startImporting();
  at.newBlog({ slug: "second" });
  const bob = at.newAccount("bob@example.com");
  at.newBlog({ slug: "bobs" }, bob);
  const bobs = await at.browserOf(bob);
  await at.send({ format: "auto", no_fetch: "yes", do: "look" }, new File([WXR], "garden.xml"));
  await at.work();
  const [, query = ""] =
    /href="\/admin\/blogs\/ada\/transfer\?([^"]+)"/.exec(await at.read("/admin/jobs/1")) ?? [];
  const search = query.replaceAll("&amp;", "&");
  const statusAt = async (browser: typeof bobs, slug: string) =>
    (await browser.get(`/admin/blogs/${slug}/transfer?${search}`)).status;
  expect(await statusAt(at.browser, "ada")).toBe(200);
  expect(await statusAt(at.browser, "second")).toBe(404);
  expect(await statusAt(bobs, "bobs")).toBe(404);
  const upload = new URLSearchParams(search).get("upload") ?? "";
  const form = new FormData();
  const page = await (await bobs.get("/admin/blogs/bobs/transfer")).text();
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  for (const [name, value] of Object.entries({ token, format: "auto", do: "bring", upload, total: "3" }))
    form.append(name, value);
  expect((await bobs.send("/admin/blogs/bobs/transfer", { method: "POST", body: form })).status).toBe(404);
  expect(at.uploads()).toHaveLength(1);
});

test("an author's import report is the same for private and unknown host names", async () => {
  const at = await startImporting();
  at.platen.db.update(accounts).set({ isAdmin: false }).run();
  const post = [
    "---",
    "title: Tea",
    "---",
    "![](http://localhost/a.jpg)",
    "",
    "![](http://no.invalid/a.jpg)",
  ].join("\n");
  await at.send(
    { format: "markdown", do: "look" },
    new File([Buffer.from(zipped([{ path: "tea.md", content: post }]))], "tea.zip"),
  );
  await at.work();
  const [, onward = ""] =
    /href="(\/admin\/blogs\/ada\/transfer\?[^"]+)"/.exec(await at.read("/admin/jobs/1")) ?? [];
  const confirmation = await at.read(onward.replaceAll("&amp;", "&"));
  const hidden = [...confirmation.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name, value]) => [name, value],
  );
  await at.send({ ...Object.fromEntries(hidden), do: "bring" });
  await at.work();
  const report = await at.read("/admin/jobs/2");
  expect(report).toContain("localhost has no public address");
  expect(report).toContain("no.invalid has no public address");
  expect(report).not.toContain("loopback");
});
