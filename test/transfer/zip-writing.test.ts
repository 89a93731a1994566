import { expect, test } from "bun:test";
import { ftruncateSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
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

test("a text that comes in pieces is packed as it comes, and what fails on its way fails the archive", async () => {
  const folder = mkdtempSync(join(tmpdir(), "platen-zip-"));
  const place = join(folder, "text.zip");
  const line = Buffer.from(`${"Tea with ü. ".repeat(50)}\n`);
  const lines = async function* (count: number) {
    for (let number = 0; number < count; number++) yield line;
  };
  const out = await openOutput(place, { isArchive: true });
  await out.text("posts.jsonl", at, lines(5000));
  await out.text("none.jsonl", at, lines(0));
  await out.text("after.md", at, "After it.");
  await out.finish();
  expect(statSync(place).size).toBeLessThan((5000 * line.length) / 20);
  const source = await zipSource(place);
  expect(await textIn(source, "posts.jsonl", 5_000_000)).toBe(line.toString().repeat(5000));
  expect([await textIn(source, "none.jsonl"), await textIn(source, "after.md")]).toEqual(["", "After it."]);
  source.close();

  const failing = async function* () {
    yield* lines(2000);
    throw new Error("The disk cannot be read.");
  };
  const broken = await openOutput(join(folder, "broken.zip"), { isArchive: true });
  await expect(broken.text("posts.jsonl", at, failing())).rejects.toThrow("The disk cannot be read.");
  await broken.discard();
  expect(readdirSync(folder)).toEqual(["text.zip"]);
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
  expect(process.memoryUsage.rss() - before).toBeLessThan(500 * 1024 * 1024);
  const source = await zipSource(place);
  expect(source.size("film.mp4")).toBe(4400 * zeros.length);
  expect(await textIn(source, "behind.md")).toBe("Behind it.");
  source.close();
  rmSync(place);
});
