import { expect, test } from "bun:test";
import { ftruncateSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openOutput } from "../../src/transfer/export/output/output";
import { ZipWriter } from "../../src/transfer/export/output/zip-writer";
import { readText } from "../../src/transfer/import/sources/source";
import { zipSource } from "../../src/transfer/import/sources/zip-source";
import { temporaryFolder } from "../support/temporary";
import { filesByTheLetter } from "./zip-by-the-letter";

const at = new Date("2024-05-01T10:00:00Z");

test("an archive holds more files than 16 bits can count", async () => {
  const place = join(temporaryFolder("zip"), "many.zip");
  const out = await openOutput(place, { isArchive: true });
  for (let number = 0; number < 70_000; number++)
    await out.text(`posts/ü ${number}.md`, at, `Text ${number}`);
  await out.finish();
  const source = await zipSource(place);
  expect(source.paths).toHaveLength(70_000);
  expect(await readText(source, "ü 69999.md")).toBe("Text 69999");
  expect(filesByTheLetter(place)).toHaveLength(70_000);
});

test("a text that comes in pieces is packed as it comes, and what fails on its way fails the archive", async () => {
  const folder = temporaryFolder("zip");
  const place = join(folder, "text.zip");
  const line = Buffer.from(`${"Tea with ü. ".repeat(50)}\n`);
  const lines = async function* (count: number) {
    for (let number = 0; number < count; number++) yield line;
  };
  const out = await openOutput(place, { isArchive: true });
  await out.text("posts.jsonl", at, lines(5000));
  await out.text("none.jsonl", at, lines(0));
  await out.text("after.md", new Date("1970-01-01T00:00:00Z"), "After it.");
  await out.bytes("film.mp4", new Date("2024-12-31T23:59:58Z"), lines(3));
  await out.finish();
  expect(statSync(place).size).toBeLessThan((5000 * line.length) / 20);
  const source = await zipSource(place);
  expect(await readText(source, "posts.jsonl", 5_000_000)).toBe(line.toString().repeat(5000));
  expect([await readText(source, "none.jsonl"), await readText(source, "after.md")]).toEqual([
    "",
    "After it.",
  ]);
  source.close();
  // UTF-8, sizes behind the bytes; a file of Unix that others may read; the day and time of MS-DOS.
  const common = { flags: 0x0808, madeBy: 0x031e, needed: 45, attributes: (0o100644 << 16) >>> 0 };
  const day = (year: number, month: number, date: number) => (year - 1980) * 512 + month * 32 + date;
  const time = (hour: number, minute: number, second: number) => hour * 2048 + minute * 32 + second / 2;
  const noon = day(2024, 5, 1) * 65_536 + time(10, 0, 0);
  expect(filesByTheLetter(place)).toEqual([
    { ...common, name: "posts.jsonl", method: 8, time: noon, size: 5000 * line.length },
    { ...common, name: "none.jsonl", method: 8, time: noon, size: 0 },
    { ...common, name: "after.md", method: 8, time: day(1980, 1, 1) * 65_536, size: 9 },
    {
      ...{ ...common, name: "film.mp4", method: 0, size: 3 * line.length },
      time: day(2024, 12, 31) * 65_536 + time(23, 59, 58),
    },
  ]);

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
  const place = join(temporaryFolder("zip"), "large.zip");
  const file = openSync(place, "w");
  const zeros = Buffer.alloc(1024 * 1024);
  let length = 0;
  // Zeros are left out of the file: it takes no room on the disk.
  const zip = new ZipWriter(async (bytes) => {
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
  expect(await readText(source, "behind.md")).toBe("Behind it.");
  source.close();
  const [film, behind] = filesByTheLetter(place);
  expect([film?.size, behind?.name]).toEqual([4400 * zeros.length, "behind.md"]);
});
