import { expect, test } from "bun:test";
import { ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openOutput } from "../../src/transfer/export/output/output";
import { ZipWriting } from "../../src/transfer/export/output/zip-writing";
import { textIn } from "../../src/transfer/import/sources/source";
import { zipSource } from "../../src/transfer/import/sources/zip-source";

const at = new Date("2024-05-01T10:00:00Z");

test("an archive holds more files than 16 bits can count", async () => {
  const place = join(mkdtempSync(join(tmpdir(), "platen-zip-")), "many.zip");
  const out = await openOutput(place, { isArchive: true });
  for (let number = 0; number < 70_000; number++)
    await out.text(`posts/ü ${number}.md`, at, `Text ${number}`);
  await out.finish();
  const source = await zipSource(place);
  expect(source.paths).toHaveLength(70_000);
  expect(await textIn(source, "ü 69999.md")).toBe("Text 69999");
});

test("an archive is larger than 32 bits can count, with files that are, and is never held in memory", async () => {
  const place = join(mkdtempSync(join(tmpdir(), "platen-zip-")), "large.zip");
  const file = openSync(place, "w");
  const zeros = Buffer.alloc(1024 * 1024);
  let length = 0;
  // Zeros are left out of the file: it takes no room on the disk.
  const zip = new ZipWriting(async (bytes) => {
    if (bytes !== zeros) writeSync(file, bytes, 0, bytes.length, length);
    length += bytes.length;
  });
  const before = process.memoryUsage.rss();
  await zip.addBytes(
    "film.mp4",
    at,
    (async function* () {
      for (let megabyte = 0; megabyte < 4400; megabyte++) yield zeros;
    })(),
  );
  await zip.addText("behind.md", at, "Behind it.");
  await zip.finish();
  ftruncateSync(file, length);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
  const source = await zipSource(place);
  expect(source.size("film.mp4")).toBe(4400 * zeros.length);
  expect(await textIn(source, "behind.md")).toBe("Behind it.");
  source.close();
  rmSync(place);
});
