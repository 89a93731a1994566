import { readdirSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import sharp from "sharp";
import { receiveUpload, storeUpload } from "../../src/media/uploads";
import type { Platen } from "../../src/platen";

/** A location in EXIF, as phones write it. */
const UPRIGHT = {
  IFD0: { Make: "Phone" },
  IFD3: {
    GPSLatitudeRef: "N",
    GPSLatitude: "51/1 30/1 0/1",
    GPSLongitudeRef: "W",
    GPSLongitude: "0/1 7/1 0/1",
  },
};

const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description city="secret"/></rdf:RDF></x:xmpmeta>';

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#804020" } });

export const picture = {
  jpeg: (width = 60, height = 40) => plain(width, height).jpeg().toBuffer(),
  png: (width = 60, height = 40) => plain(width, height).png().toBuffer(),
  webp: (width = 60, height = 40) => plain(width, height).webp().toBuffer(),
  avif: (width = 60, height = 40) => plain(width, height).avif({ effort: 0 }).toBuffer(),
  gif: () => plain(60, 40).gif().toBuffer(),
  animatedGif: () =>
    film()
      .gif({ delay: [100, 100, 100], loop: 2 })
      .toBuffer(),
  animatedWebp: () =>
    film()
      .webp({ delay: [100, 100, 100] })
      .withExif(UPRIGHT)
      .toBuffer(),
  /** 60×40 pixels as stored; shown as 40×60 for orientations from 5. */
  turned: (orientation = 6) =>
    plain(60, 40).jpeg().withExif(UPRIGHT).withMetadata({ orientation }).toBuffer(),
  located: {
    jpeg: () => plain(60, 40).jpeg().withExif(UPRIGHT).toBuffer(),
    png: () => plain(60, 40).png().withExif(UPRIGHT).toBuffer(),
    webp: () => plain(60, 40).webp().withExif(UPRIGHT).toBuffer(),
    avif: () => plain(60, 40).avif({ effort: 0 }).withExif(UPRIGHT).withXmp(XMP).toBuffer(),
  },
};

/** Three frames of 10×10 in different grays. */
function film() {
  const pixels = Buffer.alloc(10 * 30 * 3);
  for (let frame = 0; frame < 3; frame++) pixels.fill(60 * (frame + 1), frame * 300, (frame + 1) * 300);
  return sharp(pixels, { raw: { width: 10, height: 30, channels: 3, pageHeight: 10 } });
}

/** A PNG of 50 bytes that declares this size. */
export function hugePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", Buffer.alloc(0)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(content.length, 0);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return chunk;
}

/** A GIF with this many frames without pixels. */
export function emptyFrames(width: number, height: number, frames: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const header = Buffer.concat([
    Buffer.from("GIF89a"),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  ]);
  const frame = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 2, 2, 0x4c, 1, 0])]);
  return Buffer.concat([header, ...Array(frames).fill(frame), Buffer.from([0x3b])]);
}

/** The first box of an MP4, MOV, AVIF or HEIC file, padded to a length. */
export function firstBox(major: string, others: string[] = [], length = 2000): Buffer {
  const box = Buffer.from(`\0\0\0\0ftyp${major}\0\0\0\0${others.join("")}`, "latin1");
  box.writeUInt32BE(box.length, 0);
  return Buffer.concat([box, Buffer.alloc(length - box.length)]);
}

export const matroskaFile = (type: string) =>
  Buffer.concat([
    Buffer.from(
      `\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82${String.fromCharCode(0x80 + type.length)}${type}`,
      "latin1",
    ),
    Buffer.alloc(1000),
  ]);

/** Splits a file into chunks. */
export async function* chunksOf(bytes: Uint8Array, length = 100): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Receives and stores an upload. */
export async function upload(
  platen: Platen,
  bytes: Uint8Array,
  name: string,
  extras: { caption?: string; poster?: Uint8Array; blogId?: number } = {},
) {
  const received = await receiveUpload(platen, chunksOf(bytes, 10_000), name);
  const poster = extras.poster && (await receiveUpload(platen, chunksOf(extras.poster), "poster", "poster"));
  return storeUpload(platen, { id: extras.blogId ?? 1 }, received, { caption: extras.caption, poster });
}

/** All files below media/, by path. */
export function filesOf(platen: Platen): string[] {
  const folder = join(platen.config.data, "media");
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  } catch {
    return [];
  }
}
