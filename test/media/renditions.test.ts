import { describe, expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { deleteBlobs } from "../../src/media/deleting-media";
import { blobInFolder } from "../../src/media/files/blobs";
import { posterPath, srcset } from "../../src/media/files/media-urls";
import { renditionWidths } from "../../src/media/files/rendition-sizes";
import { ensureRendition, makeThumbnailLater } from "../../src/media/renditions";
import { startPlaten } from "../support/platen";
import { passUntilFilesDeleted } from "../support/purged-files";
import { filesOf, firstBox, picture, upload } from "./samples";

test("a picture gets upright renditions in smaller widths, and a thumbnail", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(1000, 500), "wide.jpg");
  expect(renditionWidths(blob)).toEqual([480, 960]);
  for (const [name, width, height] of [
    ["480.webp", 480, 240],
    ["960.webp", 960, 480],
    ["thumb.webp", 400, 200],
  ] as const) {
    const path = (await ensureRendition(platen, blob, name)) as string;
    expect(await sharp(path).metadata()).toMatchObject({ format: "webp", width, height });
  }
  expect(filesOf(platen).map((path) => path.slice(33))).toEqual([
    "sizes/480.webp",
    "sizes/960.webp",
    "sizes/thumb.webp",
    "wide.jpg",
  ]);
});

test("the renditions and placeholder of a photo with an orientation tag are upright", async () => {
  const { platen } = startPlaten();
  // Stored with white on the left and black on the right; rotated, white is above black.
  const lying = await sharp({ create: { width: 1200, height: 600, channels: 3, background: "#000" } })
    .composite([
      {
        input: { create: { width: 600, height: 600, channels: 3, background: "#fff" } },
        left: 0,
        top: 0,
      },
    ])
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const blob = await upload(platen, lying, "tower.jpg");
  expect(blob).toMatchObject({ width: 600, height: 1200 });
  expect(renditionWidths(blob)).toEqual([480]);
  const sizes = await Promise.all(
    ["480.webp", "thumb.webp"].map((name) => ensureRendition(platen, blob, name)),
  );
  const blur = blobInFolder(platen, blob.folder)?.placeholder.split(",")[1] ?? "";
  for (const made of [...(sizes as string[]), Buffer.from(blur, "base64")]) {
    const { data, info } = await sharp(made).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect(info.height).toBe(info.width * 2);
    expect(data[0]).toBeGreaterThan(200);
    expect(data.at(-1)).toBeLessThan(50);
  }
});

test("a picture exactly as wide as a rendition does not get that one", async () => {
  const { platen } = startPlaten();
  expect(renditionWidths(await upload(platen, await picture.jpeg(480, 10), "a.jpg"))).toEqual([]);
  expect(renditionWidths(await upload(platen, await picture.jpeg(481, 10), "b.jpg"))).toEqual([480]);
});

test("a picture too tall for WebP gets only a thumbnail", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await picture.png(500, 20_000), "tower.png");
  expect(renditionWidths(blob)).toEqual([]);
  expect(await ensureRendition(platen, blob, "thumb.webp")).toBeString();
});

test("a small picture is not enlarged", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await picture.avif(60, 40), "dot.avif");
  const path = (await ensureRendition(platen, blob, "thumb.webp")) as string;
  expect(await sharp(path).metadata()).toMatchObject({ width: 60, height: 40 });
});

test("an animation is served unchanged; its thumbnail is a still image", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await picture.animatedGif(), "film.gif");
  expect(renditionWidths({ ...blob, width: 2000, height: 2000 })).toEqual([]);
  const { pages } = await sharp((await ensureRendition(platen, blob, "thumb.webp")) as string).metadata();
  expect(pages ?? 1).toBe(1);
});

test("a video's thumbnail is its poster, or else a drawing", async () => {
  const { platen } = startPlaten();
  const poster = await picture.png(800, 800);
  const shown = await upload(platen, firstBox("isom"), "a.mp4", { poster });
  const plain = await upload(platen, firstBox("isom"), "b.mp4");
  const [ofPoster, drawn] = await Promise.all(
    [shown, plain].map(async (blob) =>
      sharp((await ensureRendition(platen, blob, "thumb.webp")) as string).metadata(),
    ),
  );
  expect(ofPoster).toMatchObject({ width: 400, height: 400 });
  expect(drawn).toMatchObject({ width: 400, height: 225 });
  expect(posterPath(shown)).toBe(`/media/${shown.folder}/poster.webp`);
  expect(posterPath(plain)).toBeNull();
});

test("renditions are made after the response; simultaneous requests share them", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(1000, 500), "wide.jpg");
  makeThumbnailLater(platen, blob);
  const path = join(platen.config.data, "media", blob.folder, "sizes/480.webp");
  expect(existsSync(path)).toBe(false);
  const ask = async () => {
    expect(await ensureRendition(platen, blob, "480.webp")).toBe(path);
    return statSync(path).ino;
  };
  // A rendition made again would be another file.
  const asked = await Promise.all(Array.from({ length: 10 }, ask));
  expect(new Set([...asked, await ask()]).size).toBe(1);
});

test("the thumbnail is made before larger renditions, and they all look alike", async () => {
  const { platen } = startPlaten();
  const white = { create: { width: 1000, height: 1500, channels: 3, background: "#fff" } } as const;
  const photo = sharp({ create: { width: 2000, height: 1500, channels: 3, background: "#000" } })
    .composite([{ input: white, left: 0, top: 0 }])
    .jpeg();
  const blob = await upload(platen, await photo.toBuffer(), "halves.jpg");
  makeThumbnailLater(platen, blob);
  const thumbnail = (await ensureRendition(platen, blob, "thumb.webp")) as string;
  expect(existsSync(join(thumbnail, "../480.webp"))).toBe(false);
  expect(blobInFolder(platen, blob.folder)?.placeholder).not.toBe("");
  for (const name of ["thumb.webp", "480.webp", "960.webp", "1440.webp", "1920.webp"]) {
    const made = sharp((await ensureRendition(platen, blob, name)) as string);
    const { data, info } = await made.greyscale().raw().toBuffer({ resolveWithObject: true });
    expect(info.height).toBe(Math.round((info.width * 3) / 4));
    const row = [...data.subarray(0, info.width)];
    const edge = row.findIndex((grey) => grey < 128);
    expect(Math.abs(edge - info.width / 2)).toBeLessThanOrEqual(1);
    expect(row.filter((grey) => grey > 20 && grey < 235).length).toBeLessThanOrEqual(4);
  }
});

test("an unknown rendition name creates nothing", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(500, 100), "a.jpg");
  for (const name of ["960.webp", "481.webp", "480.jpg", "../a.jpg", "", ".480.webp"])
    expect(await ensureRendition(platen, blob, name)).toBeNull();
  expect(existsSync(join(platen.config.data, "media", blob.folder, "sizes"))).toBe(false);
});

test("a damaged picture gets a placeholder, and is logged once", async () => {
  const { platen, log } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(500, 100), "a.jpg");
  writeFileSync(join(platen.config.data, "media", blob.folder, "a.jpg"), "spoiled");
  const asked = await Promise.all([1, 2, 3].map(() => ensureRendition(platen, blob, "480.webp")));
  expect(await sharp(asked[2] as string).metadata()).toMatchObject({ format: "webp", width: 400 });
  const thumbnail = await ensureRendition(platen, blob, "thumb.webp");
  expect(await sharp(thumbnail as string).metadata()).toMatchObject({ format: "webp", width: 400 });
  expect(log).toEqual([expect.stringContaining(`media/${blob.folder}`)]);
});

describe("a file deleted", () => {
  test("before its renditions are made leaves no file and no log line", async () => {
    const at = startPlaten();
    const { platen, log } = at;
    const blob = await upload(platen, await picture.jpeg(1000, 500), "wide.jpg");
    deleteBlobs(platen, () => [blob]);
    expect(await ensureRendition(platen, blob, "480.webp")).toBeNull();
    passUntilFilesDeleted(at);
    expect(existsSync(join(platen.config.data, "media", blob.folder))).toBe(false);
    expect(log).toEqual([]);
  });

  test("while its renditions are made leaves no file and no log line", async () => {
    const at = startPlaten();
    const { platen, log } = at;
    const wide = await picture.jpeg(1000, 500);
    for (const turns of [0, 1, 4, 16, 64, 256, 1024, 4096]) {
      const blob = await upload(platen, wide, "wide.jpg");
      const making = ensureRendition(platen, blob, "480.webp");
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      deleteBlobs(platen, () => [blob]);
      await making;
      passUntilFilesDeleted(at);
      expect(existsSync(join(platen.config.data, "media", blob.folder))).toBe(false);
    }
    expect(log).toEqual([]);
  });
});

test("srcset lists every width with its URL, the file itself last", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(1000, 500), "a b, c?.jpg");
  const at = `http://blog.test/media/${blob.folder}`;
  expect(srcset(blob, "http://blog.test")).toBe(
    `${at}/sizes/480.webp 480w, ${at}/sizes/960.webp 960w, ${at}/a%20b%2C%20c%3F.jpg 1000w`,
  );
  expect(srcset(await upload(platen, await picture.jpeg(), "small.jpg"))).toBeNull();
});
