import { expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { eq } from "drizzle-orm";
import sharp from "sharp";
import { blobs } from "../../../../src/database/schema";
import type { StoredBlob } from "../../../../src/media/files/blobs";
import { mediaFolder } from "../../../../src/media/files/media-folder";
import { thumbnailPath } from "../../../../src/media/files/media-urls";
import { ensureRenditions } from "../../../../src/media/images/renditions";
import { setMediaStore } from "../../../../src/media/store/media-store";
import { renditionCacheTask } from "../../../../src/media/store/rendition-cache";
import { picture, upload } from "../../../media/samples";
import { startWithStore } from "../../../media/store/with-store";
import { DAY, startPlaten } from "../../../support/platen";
import { runPlaten } from "../../../support/program";

/** Four uploads with renditions made in order; the first is in the folder, the others in S3. */
async function startFilled(keptSizes: (ofOne: number) => number) {
  const at = startPlaten();
  const { platen } = at;
  const bytes = await picture.jpeg(1000, 500);
  const stored: StoredBlob[] = [];
  for (const name of ["own", "a", "b", "c"]) {
    const blob = await upload(platen, bytes, `${name}.jpg`);
    await ensureRenditions(platen, blob);
    stored.push(blob);
  }
  const [own, ...others] = stored;
  setMediaStore(platen, { address: "s3://shelf/blog", takesNew: true });
  for (const { id } of others) platen.db.update(blobs).set({ atStore: [] }).where(eq(blobs.id, id)).run();
  const sizes = ["thumb", "480", "960"].map((name) =>
    Bun.file(mediaFolder(platen, own?.folder as string, "sizes", `${name}.webp`)),
  );
  const ofOne = sizes.reduce((sum, { size }) => sum + size, 0);
  Object.assign(platen.config, { keptSizes: Math.ceil(keptSizes(ofOne)) });
  const keeping = renditionCacheTask(platen);
  const cachedFolders = () =>
    stored
      .filter(({ folder }) => existsSync(mediaFolder(platen, folder, "sizes")))
      .map(({ filename }) => filename.replace(".jpg", ""));
  const step = async () => {
    keeping.step();
    await keeping.settled();
    return cachedFolders();
  };
  return { ...at, stored, keeping, step, cachedFolders };
}

test("renditions of files in S3 have a size limit: the oldest are deleted, and made again on request", async () => {
  const { fetch, stored, step, cachedFolders } = await startFilled((ofOne) => 2.9 * ofOne);
  const [, a] = stored;
  expect(await step()).toEqual(["own", "b", "c"]);
  expect((await fetch(thumbnailPath(a as StoredBlob))).status).toBe(200);
  expect(cachedFolders()).toEqual(["own", "a", "b", "c"]);
  expect(await step()).toEqual(["own", "a", "c"]);
});

test("above the limit, enough renditions are deleted to leave some room", async () => {
  const { step } = await startFilled((ofOne) => 2.3 * ofOne);
  expect(await step()).toEqual(["own", "c"]);
});

test("renditions of other processes are counted once a day; those of local files stay", async () => {
  const { platen, step, pass } = await startFilled((ofOne) => 3 * ofOne);
  expect(await step()).toEqual(["own", "a", "b", "c"]);
  Object.assign(platen.config, { keptSizes: 1 });
  expect(await step()).toEqual(["own", "a", "b", "c"]);
  pass(DAY);
  expect(await step()).toEqual(["own"]);
});

/** Noise, which has large renditions. */
async function noise(): Promise<Uint8Array<ArrayBuffer>> {
  const plain = { width: 1500, height: 1000, channels: 3, background: "#888" } as const;
  const grain = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return new Uint8Array(
    await sharp({ create: { ...plain, noise: grain } })
      .jpeg()
      .toBuffer(),
  );
}

test("a move keeps renditions within the limit, and the server makes them again from S3", async () => {
  const megabyte = 1_048_576;
  await using at = await startWithStore();
  const uploads = [];
  for (const name of ["a.jpg", "b.jpg", "c.jpg"]) uploads.push(await at.upload(name, await noise()));
  const env = { ...at.store.env, PLATEN_MEDIA_SIZES: "1" };
  expect(
    await runPlaten(["media", "move", "--to", at.store.place, "--data", at.data], { env }),
  ).toMatchObject({ code: 0 });
  const sizesOf = (path: string) => join(at.data, dirname(path), "sizes");
  const bytes = uploads
    .filter((path) => existsSync(sizesOf(path)))
    .flatMap((path) => readdirSync(sizesOf(path)).map((name) => statSync(join(sizesOf(path), name)).size));
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(megabyte);
  const gone = uploads.find((path) => !existsSync(sizesOf(path))) as string;
  const fine = "Everything is in order: 0 posts, 3 files.\n";
  expect(await at.run("check")).toMatchObject({ code: 0, stdout: fine });
  expect(await at.run("check", "--repair")).toMatchObject({
    code: 0,
    stdout: `Created missing picture sizes for 0 files.\n${fine}`,
  });
  expect(existsSync(sizesOf(gone))).toBe(false);
  const size = await at.get(`${dirname(gone)}/sizes/480.webp`);
  expect([size.status, size.headers.get("content-type")]).toEqual([200, "image/webp"]);
});
