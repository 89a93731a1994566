import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { exportStaticSite } from "../../src/app";
import { barExport } from "../../src/transfer/export/bar-export";
import { type ExportFormat, exportBlog } from "../../src/transfer/export/export-blog";
import { markdownExport } from "../../src/transfer/export/markdown-export";
import { platenArchive } from "../../src/transfer/export/platen-archive";
import { wordpressExport } from "../../src/transfer/export/wordpress-export";
import { post } from "../site/posting";
import { picture, uploadForm } from "../support/pictures";
import { startPlaten } from "../support/platen";
import { temporaryFolder } from "../support/temporary";

const staticSite: ExportFormat = { name: "static", isArchive: false, write: exportStaticSite };

for (const format of [markdownExport, platenArchive, wordpressExport, barExport, staticSite])
  test(`the progress of an export as ${format.name} reaches its total, in posts and files`, async () => {
    const at = startPlaten();
    for (const name of ["one.jpg", "two.jpg"]) {
      const headers = { authorization: `Bearer ${at.key}` };
      const body = uploadForm(await picture(900, 600), name);
      const { attachment } = await (
        await at.fetch("/api/v1/attachments", { method: "POST", headers, body })
      ).json();
      await at.api("POST", "/posts", { post: { content: attachment.html, status: "published" } });
    }
    const reports: { done: number; total: number }[] = [];
    const place = join(temporaryFolder("export"), "written.zip");
    await exportBlog(at.platen, at.blog, format, place, (_, work) => void reports.push({ ...work }));
    const done = reports.map((work) => work.done);
    expect(done).toEqual(done.toSorted((one, other) => one - other));
    const [first, last] = [reports.at(0), reports.at(-1)];
    expect(last?.done).toBe(last?.total as number);
    expect(first?.done).toBeLessThan(first?.total as number);
    if (format !== staticSite) expect(last?.total).toBe(4);
  });

test.each(["site", "site.zip"])(
  "an export to %s keeps what was created at its destination meanwhile, and leaves no files",
  async (name) => {
    const at = startPlaten();
    await at.api("POST", "/posts", { post: { title: "Tea", status: "published" } });
    const place = join(temporaryFolder("export"), name);
    const written = exportBlog(at.platen, at.blog, markdownExport, place, () => writeFileSync(place, "mine"));
    await expect(written).rejects.toThrow(`${place} already exists. Choose a new path`);
    expect(readFileSync(place, "utf8")).toBe("mine");
    expect(readdirSync(dirname(place))).toEqual([name]);
    // After it exists, no progress is reported.
    let steps = 0;
    const again = exportBlog(at.platen, at.blog, markdownExport, place, () => void steps++);
    await expect(again).rejects.toThrow(`${place} already exists`);
    expect(steps).toBe(0);
  },
);

test("broken links of a static site are reported, also to pages deleted during the export", async () => {
  const at = startPlaten();
  const send = async (title: string, content: string) =>
    (await at.api("POST", "/posts", { post: { title, content, status: "published" } })).body.post.id;
  const headers = { authorization: `Bearer ${at.key}` };
  const body = uploadForm(await picture(900, 600), "cat.jpg");
  const { attachment } = await (
    await at.fetch("/api/v1/attachments", { method: "POST", headers, body })
  ).json();
  const first = await send("First", attachment.html);
  await send("Second", '<p><a href="/nowhere">see</a></p>');
  const place = join(temporaryFolder("export"), "site");
  let steps = 0;
  const report = await exportBlog(at.platen, at.blog, staticSite, place, async () => {
    // The home page, which links to all posts, is written first.
    if (++steps === 1) await at.api("DELETE", `/posts/${first}`);
  });
  const says = "links to this address, which returns 404.";
  expect(existsSync(join(place, "second/index.html"))).toBe(true);
  expect(report.errors).toContain(`http://blog.test/nowhere: http://blog.test/second ${says}`);
  expect(existsSync(join(place, "first"))).toBe(false);
  expect(report.errors.join()).toContain("http://blog.test/first: ");
});

test("exporting a site to an archive yields after each page", async () => {
  const at = startPlaten();
  for (let number = 0; number < 30; number++) await post(at, { title: `Post ${number}` });
  const written: number[] = [];
  let inThisTurn = 0;
  const onStep = () => {
    if (inThisTurn++ === 0)
      setImmediate(() => {
        written.push(inThisTurn);
        inThisTurn = 0;
      });
  };
  const format = { name: "static", isArchive: true, write: exportStaticSite };
  const place = join(at.platen.config.data, "site.zip");
  const { pages } = await exportBlog(at.platen, at.blog, format, place, onStep, { withCards: false });
  expect(pages).toBeGreaterThan(30);
  expect(Math.max(...written)).toBeLessThanOrEqual(2);
});
