import { expect, spyOn, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { ZipFile } from "yazl";
import { openOutput } from "../../src/transfer/export/zip-and-folder-output";
import { readText } from "../../src/transfer/import/sources/source-files";
import { zipSource } from "../../src/transfer/import/sources/zip-and-folder-sources";
import { temporaryFolder } from "../support/temporary";

const at = new Date("2024-05-01T10:00:00Z");

test("an archive may have more than 65,535 files", async () => {
  const place = join(temporaryFolder("zip"), "many.zip");
  const out = await openOutput(place, { isArchive: true });
  const adding = spyOn(ZipFile.prototype, "addReadStream");
  await out.text("posts/ü 0.md", at, "First");
  const [zip] = adding.mock.contexts as unknown as [{ entries: { utf8FileName: Buffer }[] }];
  adding.mockRestore();
  // The same file under other names, because yazl looks at all entries for each one that is written.
  const [first] = zip.entries as [{ utf8FileName: Buffer }];
  for (let number = 1; number < 65_999; number++)
    zip.entries.push({ __proto__: first, utf8FileName: Buffer.from(`posts/ü ${number}.md`) } as typeof first);
  await out.text("posts/ü 65999.md", at, "Last");
  await out.finish();
  using source = await zipSource(place);
  expect(source.paths).toHaveLength(66_000);
  for (const [number, text] of [
    [0, "First"],
    [65_998, "First"],
    [65_999, "Last"],
  ] as const)
    expect(await readText(source, `ü ${number}.md`)).toBe(text);
});

test("an archive and its files may be larger than 4 GB, and are not held in memory", async () => {
  // yazl's checksum in JavaScript would take most of the time.
  require("buffer-crc32").unsigned = crc32;
  const place = join(temporaryFolder("zip"), "large.zip");
  const zeros = Buffer.alloc(256 * 1024);
  const length = 4.1 * 1024 ** 3;
  const before = process.memoryUsage.rss();
  const out = await openOutput(place, { isArchive: true });
  const film = function* () {
    for (let sent = 0; sent < length; sent += zeros.length) yield zeros;
  };
  await out.bytes("film.mp4", at, film());
  await out.text("behind.md", at, "Behind it.");
  await out.finish();
  expect(process.memoryUsage.rss() - before).toBeLessThan(500 * 1024 * 1024);
  using source = await zipSource(place);
  expect(source.size("film.mp4")).toBeGreaterThanOrEqual(length);
  expect(await readText(source, "behind.md")).toBe("Behind it.");
  truncateSync(place);
});
