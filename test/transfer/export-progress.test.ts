import { expect, test } from "bun:test";
import { join } from "node:path";
import { exportStaticSite } from "../../src/app";
import { mediaTotalsOf } from "../../src/media/files/media-totals";
import { type ExportFormat, exportBlog } from "../../src/transfer/export/exporting";
import { barExport } from "../../src/transfer/export/formats/bar-export";
import { markdownExport } from "../../src/transfer/export/formats/markdown-export";
import { platenArchive } from "../../src/transfer/export/formats/platen-archive";
import { wordpressExport } from "../../src/transfer/export/formats/wordpress-export";
import { picture, uploadForm } from "../support/pictures";
import { startPlaten } from "../support/platen";
import { temporaryFolder } from "../support/temporary";

const staticSite: ExportFormat = { name: "static", makes: "", isArchive: false, write: exportStaticSite };

for (const format of [markdownExport, platenArchive, wordpressExport, barExport, staticSite])
  test(`how far an export as ${format.name} is goes up to all of it, by posts and by bytes of media`, async () => {
    const at = startPlaten();
    for (const name of ["one.jpg", "two.jpg"]) {
      const headers = { authorization: `Bearer ${at.key}` };
      const body = uploadForm(await picture(900, 600), name);
      const { attachment } = await (
        await at.fetch("/api/v1/attachments", { method: "POST", headers, body })
      ).json();
      await at.api("POST", "/posts", { post: { content: attachment.html, status: "published" } });
    }
    const told: { done: number; total: number }[] = [];
    const place = join(temporaryFolder("export"), "written.zip");
    await exportBlog(at.platen, at.blog, format, place, (_, work) => void told.push({ ...work }));
    const done = told.map((work) => work.done);
    expect(done).toEqual(done.toSorted((one, other) => one - other));
    const [first, last] = [told.at(0), told.at(-1)];
    expect(last?.done).toBe(last?.total as number);
    expect(first?.done).toBeLessThan(first?.total as number);
    const { bytes } = mediaTotalsOf(at.platen, at.blog);
    if (format !== staticSite) expect(last?.total).toBe(2 * 100_000 + bytes);
  });
