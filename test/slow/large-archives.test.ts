import { expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { openOutput } from "../../src/transfer/export/output/output";
import { readText } from "../../src/transfer/import/sources/source";
import { zipSource } from "../../src/transfer/import/sources/zip-source";
import { temporaryFolder } from "../support/temporary";

const at = new Date("2024-05-01T10:00:00Z");

test("an archive may have more than 65,535 files", async () => {
  const place = join(temporaryFolder("zip"), "many.zip");
  const out = await openOutput(place, { isArchive: true });
  for (let number = 0; number < 66_000; number++)
    await out.text(`posts/ü ${number}.md`, at, `Text ${number}`);
  await out.finish();
  const source = await zipSource(place);
  expect(source.paths).toHaveLength(66_000);
  expect(await readText(source, "ü 65999.md")).toBe("Text 65999");
}, 600_000);

test("an archive and its files may be larger than 4 GB, and are not held in memory", async () => {
  const place = join(temporaryFolder("zip"), "large.zip");
  const zeros = Buffer.alloc(1024 * 1024);
  const before = process.memoryUsage.rss();
  const out = await openOutput(place, { isArchive: true });
  const film = function* () {
    for (let megabyte = 0; megabyte < 4400; megabyte++) yield zeros;
  };
  await out.bytes("film.mp4", at, film());
  await out.text("behind.md", at, "Behind it.");
  await out.finish();
  expect(process.memoryUsage.rss() - before).toBeLessThan(500 * 1024 * 1024);
  const source = await zipSource(place);
  expect(source.size("film.mp4")).toBe(4400 * zeros.length);
  expect(await readText(source, "behind.md")).toBe("Behind it.");
  source.close();
  truncateSync(place);
}, 600_000);
