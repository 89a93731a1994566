import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openOutput } from "../../src/transfer/export/zip-and-folder-output";
import { readText } from "../../src/transfer/import/sources/source-files";
import { zipSource } from "../../src/transfer/import/sources/zip-and-folder-sources";
import { temporaryFolder } from "../support/temporary";

const at = new Date("2024-05-01T10:00:00Z");
const line = `${"Tea with ü. ".repeat(50)}\n`;
const lines = function* (count: number) {
  for (let number = 0; number < count; number++) yield line;
};

test("texts are compressed, media are not, and other programs can read the archive", async () => {
  const place = join(temporaryFolder("zip"), "text.zip");
  const out = await openOutput(place, { isArchive: true });
  await out.text("posts.jsonl", at, lines(5000));
  await out.text("none.jsonl", at, []);
  await out.text("after.md", new Date("1970-01-01T00:00:00Z"), "After it.");
  await out.bytes("film.mp4", new Date("2024-12-31T23:59:58Z"), lines(3000));
  await out.finish();
  const length = Buffer.byteLength(line);
  expect(statSync(place).mode & 0o777).toBe(0o600);
  expect(statSync(place).size).toBeGreaterThan(3000 * length);
  expect(statSync(place).size).toBeLessThan(3100 * length);
  using source = await zipSource(place);
  expect(await readText(source, "posts.jsonl")).toBe(line.repeat(5000));
  expect([await readText(source, "none.jsonl"), await readText(source, "after.md")]).toEqual([
    "",
    "After it.",
  ]);
  const script =
    "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), [i.filename for i in z.infolist()])";
  const { stdout } = Bun.spawnSync(["python3", "-c", script, place]);
  expect(stdout.toString().trim()).toBe("None ['posts.jsonl', 'none.jsonl', 'after.md', 'film.mp4']");
});

test("a file that fails is an error, and the others are written; a discarded archive leaves no file", async () => {
  const folder = temporaryFolder("zip");
  const failing = function* () {
    yield* lines(2000);
    throw new Error("The disk cannot be read.");
  };
  const out = await openOutput(join(folder, "a.zip"), { isArchive: true });
  await expect(out.bytes("film.mp4", at, failing())).rejects.toThrow("The disk cannot be read.");
  await out.text("after.md", at, "After it.");
  await out.finish();
  using source = await zipSource(join(folder, "a.zip"));
  expect(await readText(source, "after.md")).toBe("After it.");
  const broken = await openOutput(join(folder, "broken.zip"), { isArchive: true });
  await broken.text("a.md", at, "A");
  await broken.discard();
  expect(readdirSync(folder)).toEqual(["a.zip"]);
});
