import { expect, test } from "bun:test";
import sharp from "sharp";
import { mediaPath } from "../../src/media/files/media-urls";
import { startPlaten } from "../support/platen";
import { heicPhoto, TILE } from "./heic-photo";
import { filesOf, picture, upload } from "./samples";

/** The nearest of red, green, blue and white. */
const colourOf = ([r = 0, g = 0]: Uint8Array) =>
  r > 128 && g > 128 ? "white" : r > 128 ? "red" : g > 128 ? "green" : "blue";

async function cornersOf(jpeg: Uint8Array): Promise<string[]> {
  const { data, info } = await sharp(jpeg).autoOrient().raw().toBuffer({ resolveWithObject: true });
  const [right, bottom] = [info.width - 4, info.height - 4];
  return [
    [4, 4],
    [right, 4],
    [4, bottom],
    [right, bottom],
  ].map(([x = 0, y = 0]) => colourOf(data.subarray((y * info.width + x) * info.channels)));
}

/** EXIF of a phone: camera, orientation, time and location. */
async function phoneExif(): Promise<Buffer> {
  const jpeg = await sharp(await picture.jpeg())
    .withExif({
      IFD0: { Make: "Phone", Orientation: "6" },
      IFD2: { DateTimeOriginal: "2026:05:01 12:30:00" },
      IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" },
    })
    .toBuffer();
  const { exif } = await sharp(jpeg).metadata();
  return (exif as Buffer).subarray(6);
}

test("a HEIC photo becomes an upright JPEG with its name and size, without location", async () => {
  const { platen, fetch } = startPlaten();
  const profile = (
    await sharp(await picture.jpeg())
      .withIccProfile("p3")
      .toBuffer()
      .then((bytes) => sharp(bytes).metadata())
  ).icc;
  const photo = heicPhoto({ width: 120, height: 60, turns: 3, exif: await phoneExif(), profile });
  const blob = await upload(platen, photo, "IMG_1234.HEIC");
  expect(blob).toMatchObject({
    ...{ filename: "IMG_1234.jpg", contentType: "image/jpeg", mediaType: "image", isAnimated: false },
    ...{ width: 60, height: 120 },
  });
  const answer = await fetch(mediaPath(blob));
  expect(answer.headers.get("content-type")).toBe("image/jpeg");
  const served = await answer.bytes();
  expect(await cornersOf(served)).toEqual(["blue", "red", "white", "green"]);
  const { width, height, autoOrient, icc } = await sharp(served).metadata();
  expect([width, height, autoOrient.width, autoOrient.height]).toEqual([60, 120, 60, 120]);
  expect(icc?.equals(profile as Buffer)).toBe(true);
  expect(Buffer.from(served).includes("2026:05:01")).toBe(false);
  expect(Buffer.from(served).includes("Phone")).toBe(false);
});

test("every orientation of a HEIC photo is applied", async () => {
  const { platen, fetch } = startPlaten();
  for (const [turns, expected] of [
    [1, ["green", "white", "red", "blue"]],
    [2, ["white", "blue", "green", "red"]],
  ] as const) {
    const blob = await upload(platen, heicPhoto({ columns: 2, rows: 2, turns }), "cat.heif");
    expect([turns, ...(await cornersOf(await (await fetch(mediaPath(blob))).bytes()))]).toEqual([
      turns,
      ...expected,
    ]);
  }
});

test("a HEIC file with a single item is accepted", async () => {
  const { platen, fetch } = startPlaten();
  const blob = await upload(platen, TILE, "cat");
  expect(await cornersOf(await (await fetch(mediaPath(blob))).bytes())).toEqual([
    "red",
    "green",
    "blue",
    "white",
  ]);
  expect(blob.filename).toBe("cat.jpg");
});

test("a HEIC that is truncated, has too many pixels or needs too much memory is rejected, and leaves no file", async () => {
  const { platen } = startPlaten();
  const rejectionOf = (bytes: Buffer) =>
    upload(platen, bytes, "cat.heic").then(
      () => "taken",
      (fault) => fault.fields?.file?.[0] ?? String(fault),
    );
  expect(await rejectionOf(heicPhoto().subarray(0, 400))).toContain("is damaged");
  const damaged = heicPhoto();
  damaged.fill(0x55, damaged.length - 300);
  expect(await rejectionOf(damaged)).toContain("is damaged");
  const withoutSize = Buffer.from(TILE);
  withoutSize.write("free", withoutSize.indexOf("ispe"));
  expect(await rejectionOf(withoutSize)).toContain("is damaged");
  expect(await rejectionOf(heicPhoto({ columns: 16, rows: 16, side: 700 }))).toContain(
    "has too many pixels: 126 million",
  );
  const long = heicPhoto({ width: 65_600, height: 64, columns: 205, side: 320 });
  expect(await rejectionOf(long)).toContain("is too wide or too high");
  const small = { ...platen, config: { ...platen.config, memory: 256 * 1024 * 1024 } };
  const large = upload(small, heicPhoto({ columns: 16, rows: 12, side: 500 }), "cat.heic");
  expect(await large.catch((fault) => JSON.stringify(fault.fields))).toContain("needs too much memory");
  expect(filesOf(platen)).toEqual([]);
});
