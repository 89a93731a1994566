import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { Refusal } from "../../src/errors";
import { incomingFolder, removeAbandonedUploads } from "../../src/media/files/media-folder";
import { receiveUpload } from "../../src/media/uploads";
import { startPlaten } from "../support/platen";
import { chunksOf, emptyFrames, filesOf, firstBox, hugePng, picture, pngChunk, upload } from "./samples";

const MEGABYTE = 1_048_576;

/** Message of a rejected promise about a field. */
async function errorOf(work: Promise<unknown>, field = "file"): Promise<string> {
  const refusal = await work.then(
    () => "nothing was refused",
    (fault) => fault,
  );
  if (!(refusal instanceof Refusal)) throw refusal;
  expect(refusal.kind).toBe("invalid");
  return refusal.fields?.[field]?.join() ?? "";
}

const pixelsOf = (file: Uint8Array) => sharp(file).raw().toBuffer();

test("an upload without metadata is stored unchanged under its name, in a random folder", async () => {
  const { platen } = startPlaten();
  const bytes = await picture.jpeg();
  const blob = await upload(platen, bytes, "cat.jpg", { caption: "A cat" });

  expect(blob).toMatchObject({
    filename: "cat.jpg",
    mediaType: "image",
    contentType: "image/jpeg",
    byteSize: bytes.length,
    sha256: Bun.SHA256.hash(bytes, "hex"),
    width: 60,
    height: 40,
    isAnimated: false,
    caption: "A cat",
  });
  expect(blob.folder).toMatch(/^[0-9a-f]{32}$/);
  expect(filesOf(platen)).toEqual([`${blob.folder}/cat.jpg`]);
  expect(readFileSync(join(platen.config.data, "media", blob.folder, "cat.jpg")).equals(bytes)).toBe(true);
});

test("names are unique within a blog only", async () => {
  const { platen, newBlog } = startPlaten();
  const other = newBlog({ slug: "other" });
  const bytes = await picture.png();
  const names: string[] = [];
  for (let turn = 0; turn < 3; turn++) names.push((await upload(platen, bytes, "cat.png")).filename);
  names.push((await upload(platen, bytes, "cat.png", { blogId: other.id })).filename);
  expect(names).toEqual(["cat.png", "cat-2.png", "cat-3.png", "cat.png"]);
});

test("two simultaneous uploads of one name get two names", async () => {
  const { platen } = startPlaten();
  const bytes = await picture.png();
  const blobs = await Promise.all([1, 2, 3].map(() => upload(platen, bytes, "cat.png")));
  expect(blobs.map(({ filename }) => filename).sort()).toEqual(["cat-2.png", "cat-3.png", "cat.png"]);
});

test("the extension follows the content, not the name", async () => {
  const { platen } = startPlaten();
  expect((await upload(platen, await picture.png(), "page.html")).filename).toBe("page.png");
  expect((await upload(platen, firstBox("qt  "), "film.mp4")).filename).toBe("film.mov");
});

test("other types are rejected with the list of accepted types, and leave no file", async () => {
  const { platen } = startPlaten();
  const film = firstBox("hevc", ["msf1", "hevc"]);
  for (const bytes of [Buffer.from("<svg/>"), film, Buffer.alloc(5000), Buffer.from("GIF")]) {
    const fault = await errorOf(upload(platen, bytes, "cat.jpg"));
    expect(fault).toBe(
      "must be a JPEG, PNG, GIF, WebP, AVIF or HEIC image or an MP4, MOV or WebM video; SVG and other types are not accepted",
    );
  }
  expect(await errorOf(upload(platen, Buffer.alloc(0), "cat.jpg"))).toBe("is empty");
  expect(filesOf(platen)).toEqual([]);
});

test("an image may have 20 MB; the rest of a larger one is not read", async () => {
  const { platen } = startPlaten();
  const image = Buffer.alloc(20 * MEGABYTE + 200_000);
  (await picture.jpeg()).copy(image);
  let read = 0;
  async function* pieces() {
    for await (const piece of chunksOf(image, 64 * 1024)) {
      read += piece.length;
      yield piece;
    }
  }
  expect(await errorOf(receiveUpload(platen, pieces(), "cat.jpg"))).toBe(
    "is too large: an image can be at most 20 MB",
  );
  expect(read).toBeLessThan(image.length);
  expect(filesOf(platen)).toEqual([]);

  const received = await receiveUpload(
    platen,
    chunksOf(image.subarray(0, 20 * MEGABYTE), MEGABYTE),
    "cat.jpg",
  );
  expect(received.byteSize).toBe(20 * MEGABYTE);
  expect(
    await errorOf(receiveUpload(platen, chunksOf(image.subarray(0, 20 * MEGABYTE + 1), MEGABYTE), "cat.jpg")),
  ).toContain("too large");
});

test("a video may have 250 MB", async () => {
  const { platen } = startPlaten();
  async function* film(length: number) {
    yield firstBox("isom", ["mp42"], MEGABYTE);
    const piece = Buffer.alloc(MEGABYTE);
    for (let sent = MEGABYTE; sent < length; sent += MEGABYTE) yield piece.subarray(0, length - sent);
  }
  expect((await receiveUpload(platen, film(250 * MEGABYTE), "v.mp4")).byteSize).toBe(250 * MEGABYTE);
  expect(await errorOf(receiveUpload(platen, film(250 * MEGABYTE + 1), "v.mp4"))).toBe(
    "is too large: a video can be at most 250 MB",
  );
});

test("a truncated upload leaves no file", async () => {
  const { platen } = startPlaten();
  async function* brokenStream() {
    yield await picture.jpeg();
    throw new Error("gone");
  }
  expect(receiveUpload(platen, brokenStream(), "cat.jpg")).rejects.toThrow("gone");
  await receiveUpload(platen, brokenStream(), "cat.jpg").catch(() => {});
  expect(filesOf(platen)).toEqual([]);
});

test("pictures with too many pixels are rejected before decoding, with frames counted", async () => {
  const { platen } = startPlaten();
  const bombs = [hugePng(60_000, 60_000), hugePng(10_001, 10_000), emptyFrames(5000, 5000, 5)];
  for (const bomb of bombs)
    expect(await errorOf(upload(platen, bomb, "bomb.png"))).toMatch(
      /^has too many pixels: \d+ million, all frames together; at most 100 million are accepted$/,
    );
  expect(filesOf(platen)).toEqual([]);
  expect((await upload(platen, emptyFrames(5000, 5000, 4), "film.gif")).isAnimated).toBe(true);
});

test("a PNG with too wide or too many rows is rejected, because it could be uploaded but not shrunk", async () => {
  const { platen } = startPlaten();
  for (const bomb of [hugePng(65_536, 10), hugePng(10, 65_536)])
    expect(await errorOf(upload(platen, bomb, "long.png"))).toBe(
      "is too wide or too high (at most 65,535 pixels)",
    );
});

test("a WebP with too many frames is rejected, because reading them would take minutes", async () => {
  const { platen } = startPlaten();
  const film = await picture.animatedWebp();
  const start = film.indexOf("ANMF");
  const frame = film.subarray(start, start + 8 + film.readUInt32LE(start + 4));
  const webpWithFrames = (frames: number) => {
    const webp = Buffer.concat([film.subarray(0, start), ...Array(frames).fill(frame)]);
    webp.writeUInt32LE(webp.length - 8, 4);
    return webp;
  };
  expect((await upload(platen, webpWithFrames(1000), "film.webp")).isAnimated).toBe(true);
  expect(await errorOf(upload(platen, webpWithFrames(10_001), "bomb.webp"))).toBe(
    "has too many frames (at most 10,000)",
  );
});

test("a JPEG with more than a hundred scans is rejected", async () => {
  const { platen } = startPlaten();
  const photo = await sharp({ create: { width: 64, height: 64, channels: 3, background: "#a03020" } })
    .jpeg({ progressive: true })
    .toBuffer();
  const lastScan = photo.subarray(photo.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  const jpegWithScans = (more: number, junk = Buffer.alloc(0)) =>
    Buffer.concat([photo.subarray(0, -2), junk, ...Array(more).fill(lastScan), photo.subarray(-2)]);
  const fault = "has too many scans (at most 100); save the JPEG again";
  /** Number of its scans; these two bytes occur nowhere else. */
  const own = photo.toString("latin1").split("\xff\xda").length - 1;
  expect((await upload(platen, jpegWithScans(100 - own), "fine.jpg")).width).toBe(64);
  const filesBefore = filesOf(platen);
  const junk = Buffer.from([0, 0, 0xff, 0xff]);
  for (const bomb of [jpegWithScans(101 - own), jpegWithScans(101, junk)])
    expect(await errorOf(upload(platen, bomb, "bomb.jpg"))).toBe(fault);
  expect(
    await errorOf(upload(platen, firstBox("isom"), "v.mp4", { poster: jpegWithScans(101) }), "poster"),
  ).toBe(fault);
  expect(filesOf(platen)).toEqual(filesBefore);
  const withFilmBehind = Buffer.concat([photo, ...Array(200).fill(lastScan)]);
  expect((await upload(platen, withFilmBehind, "motion.jpg")).width).toBe(64);
});

test("a damaged picture is rejected and leaves no file", async () => {
  const { platen } = startPlaten();
  const noise = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(3000, 7)]);
  const photo = await picture.jpeg(400, 300);
  const drawing = await picture.png(400, 300);
  const damaged = [noise, photo.subarray(0, photo.length - 100), drawing.subarray(0, drawing.length - 30)];
  for (const bytes of damaged)
    expect(await errorOf(upload(platen, bytes, "cat.jpg"))).toContain("is damaged");
  expect(filesOf(platen)).toEqual([]);
});

test("a rotated photo keeps only its orientation tag; the owner keeps the original", async () => {
  const { platen } = startPlaten();
  for (const orientation of [2, 3, 6, 8]) {
    const bytes = await picture.turned(orientation);
    const blob = await upload(platen, bytes, "cat.jpg");
    expect(blob).toMatchObject(orientation > 4 ? { width: 40, height: 60 } : { width: 60, height: 40 });

    const folder = join(platen.config.data, "media", blob.folder);
    const served = readFileSync(join(folder, blob.filename));
    const { width, height, exif, orientation: kept } = await sharp(served).metadata();
    expect({ width, height, orientation: kept }).toEqual({ width: 60, height: 40, orientation });
    expect(exif?.toString("hex")).toBe(
      `457869660000${"4d4d002a00000008"}0001${"011200030000000100"}0${orientation}000000000000`,
    );
    expect(served.includes("GPS") || served.includes("Phone")).toBe(false);
    expect(await pixelsOf(served)).toEqual(await pixelsOf(bytes));
    expect(blob).toMatchObject({ byteSize: served.length, sha256: Bun.SHA256.hash(served, "hex") });
    expect(readFileSync(join(folder, ".original")).equals(bytes)).toBe(true);
  }
});

test("the pixels of a rotated PNG or WebP are rotated, because browsers ignore its tag", async () => {
  const { platen } = startPlaten();
  for (const format of ["png", "webp"] as const) {
    const lying = await sharp(await picture.png(60, 40))
      .toFormat(format)
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const blob = await upload(platen, lying, `cat.${format}`);
    expect(blob).toMatchObject({ width: 40, height: 60 });
    const served = readFileSync(join(platen.config.data, "media", blob.folder, blob.filename));
    const { width, height, exif, orientation } = await sharp(served).metadata();
    expect({ width, height, exif }).toEqual({ width: 40, height: 60, exif: undefined });
    expect(orientation ?? 1).toBe(1);
  }
});

test("metadata is removed from every format, and pixels stay the same", async () => {
  const { platen } = startPlaten();
  for (const [format, make] of Object.entries(picture.located)) {
    const bytes = await make();
    const before = await sharp(bytes).metadata();
    expect(before.exif).toBeDefined();
    const blob = await upload(platen, bytes, `cat.${format}`);
    const served = readFileSync(join(platen.config.data, "media", blob.folder, blob.filename));
    const metadata = await sharp(served).metadata();
    expect(metadata).toMatchObject({ width: 60, height: 40, format: format === "avif" ? "heif" : format });
    expect({ exif: metadata.exif, xmp: metadata.xmp }).toEqual({ exif: undefined, xmp: undefined });
    expect(/GPS|Phone|Exif\0|secret/.test(served.toString("latin1"))).toBe(false);
    expect(await pixelsOf(served)).toEqual(await pixelsOf(bytes));
  }
});

test("comments, unknown chunks and data after the end are removed", async () => {
  const { platen } = startPlaten();
  const jpeg = await picture.jpeg();
  const png = await picture.png();
  const gif = await picture.animatedGif();
  const segment = Buffer.from("\xff\xfe\x00\x0esecret place", "latin1");
  const block = Buffer.from("\x21\xff\x0bXMP DataXMP\x0csecret place\0", "latin1");
  const hiding: Record<string, Buffer> = {
    "comment.jpg": Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]),
    "behind.jpg": Buffer.concat([jpeg, Buffer.from("secret place")]),
    "text.png": Buffer.concat([
      png.subarray(0, 33),
      pngChunk("tEXt", Buffer.from("a\0secret place")),
      png.subarray(33),
    ]),
    "behind.png": Buffer.concat([png, Buffer.from("secret place")]),
    "xmp.gif": Buffer.concat([gif.subarray(0, -1), block, gif.subarray(-1)]),
    "behind.gif": Buffer.concat([gif, Buffer.from("secret place")]),
    "behind.webp": Buffer.concat([await picture.webp(), Buffer.from("secret place")]),
    "behind.avif": Buffer.concat([
      await picture.avif(),
      Buffer.from("\0\0\0\x18freesecret place1234", "latin1"),
    ]),
  };
  for (const [name, bytes] of Object.entries(hiding)) {
    expect(bytes.includes("secret place")).toBe(true);
    const blob = await upload(platen, bytes, name);
    const served = readFileSync(join(platen.config.data, "media", blob.folder, blob.filename));
    expect([name, served.includes("secret")]).toEqual([name, false]);
    expect((await sharp(served).metadata()).width).toBe(blob.width as number);
  }
});

test("animations stay animations after metadata was removed", async () => {
  const { platen } = startPlaten();
  const gif = await picture.animatedGif();
  const comment = Buffer.from("\x21\xfe\x06secret\0", "latin1");
  const commented = Buffer.concat([gif.subarray(0, -1), comment, gif.subarray(-1)]);
  for (const [name, bytes] of [
    ["a.gif", gif],
    ["b.gif", commented],
    ["c.gif", gif.subarray(0, -1)],
    ["d.webp", await picture.animatedWebp()],
  ] as const) {
    const blob = await upload(platen, bytes, name);
    expect([name, blob.isAnimated, blob.width, blob.height]).toEqual([name, true, 10, 10]);
    const served = readFileSync(join(platen.config.data, "media", blob.folder, blob.filename));
    const { pages, delay, exif } = await sharp(served).metadata();
    expect({ pages, delay, exif }).toEqual({ pages: 3, delay: [100, 100, 100], exif: undefined });
  }
});

test("a video stays byte for byte the same, and its poster is a picture", async () => {
  const { platen } = startPlaten();
  const bytes = firstBox("isom", ["mp42"]);
  const blob = await upload(platen, bytes, "v.mp4", { poster: await picture.turned() });
  expect(blob).toMatchObject({ mediaType: "video", contentType: "video/mp4", hasPoster: true, width: null });
  expect(filesOf(platen)).toEqual([`${blob.folder}/poster.webp`, `${blob.folder}/v.mp4`]);
  const poster = await sharp(join(platen.config.data, "media", blob.folder, "poster.webp")).metadata();
  expect(poster).toMatchObject({ format: "webp", width: 40, height: 60 });
  expect(poster.exif).toBeUndefined();
});

test("a poster must be an image and belong to a video; an invalid one leaves no file", async () => {
  const { platen } = startPlaten();
  const film = firstBox("isom");
  expect(await errorOf(upload(platen, film, "v.mp4", { poster: film }), "poster")).toBe("must be an image");
  const photo = await picture.jpeg();
  expect(await errorOf(upload(platen, photo, "a.jpg", { poster: photo }), "poster")).toContain(
    "is only allowed for videos",
  );
  expect(
    await errorOf(upload(platen, film, "v.mp4", { poster: hugePng(60_000, 60_000) }), "poster"),
  ).toContain("too many pixels");
  expect(filesOf(platen)).toEqual([]);
});

test("an upload for a blog that was removed meanwhile leaves no file", async () => {
  const { platen } = startPlaten();
  const photo = await picture.turned();
  expect(upload(platen, photo, "a.jpg", { blogId: 999 })).rejects.toThrow();
  await upload(platen, photo, "a.jpg", { blogId: 999 }).catch(() => {});
  expect(filesOf(platen)).toEqual([]);
});

test("a start deletes unfinished uploads of a killed process, and no newer ones", async () => {
  const { platen } = startPlaten();
  const incoming = join(platen.config.data, "media", ".incoming");
  mkdirSync(join(incoming, "old-folder"), { recursive: true });
  writeFileSync(join(incoming, "old"), "half");
  writeFileSync(join(incoming, "old-folder", ".public"), "half");
  for (const name of ["old", "old-folder"]) utimesSync(join(incoming, name), 1, 1);
  const received = await receiveUpload(platen, chunksOf(await picture.jpeg()), "cat.jpg");
  await removeAbandonedUploads(platen);
  expect(filesOf(platen)).toEqual([received.path.slice(join(platen.config.data, "media").length + 1)]);
});

test("unfinished uploads of a running command are kept, and deleted after it was killed", async () => {
  const { platen } = startPlaten();
  await using command = Bun.spawn(["sleep", "600"], { stderr: "ignore" });
  const half = incomingFolder(platen, "half").replace(`${process.pid}-`, `${command.pid}-`);
  mkdirSync(incomingFolder(platen), { recursive: true });
  writeFileSync(half, "half");
  utimesSync(half, 1, 1);
  await removeAbandonedUploads(platen);
  await removeAbandonedUploads(platen, Number.POSITIVE_INFINITY);
  expect(existsSync(half)).toBe(true);
  command.kill("SIGKILL");
  await command.exited;
  await removeAbandonedUploads(platen);
  expect(existsSync(half)).toBe(false);
});
