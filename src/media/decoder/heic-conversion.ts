import { readFile } from "node:fs/promises";
import type { Libheif } from "libheif-js/libheif-wasm/libheif.js";
import wasm from "libheif-js/libheif-wasm/libheif.wasm" with { type: "file" };
import { MAX_PIXELS } from "../files/file-formats-and-limits";
import { ImageError, type Task, type WrittenFile } from "./decoder-tasks";
import { assertMemory, assertPixels, FIXED_BYTES, orImageError, writeHashed } from "./reading-pictures";
import { loadSharp } from "./sharp";

export async function convertHeic(task: Task<"convert">): Promise<WrittenFile> {
  const { path, to, maxMemory, dataFolder } = task;
  const bytes = await readFile(path);
  const damaged = "is damaged: it cannot be read as a HEIC image";
  const heic = await orImageError(readHeic(bytes), damaged);
  const { width, height } = heic;
  if (width === 0 || height === 0) throw new ImageError(damaged);
  assertPixels(width, height);
  assertMemory(FIXED_BYTES + BYTES_PER_PIXEL * width * height + 2 * bytes.length, maxMemory);
  const [profile, pixels] = await orImageError(
    Promise.try(() => [profileOf(heic), pixelsOf(heic)] as const),
    damaged,
  );
  const sharp = await loadSharp(dataFolder);
  const raw = { width, height, channels: CHANNELS };
  // Optimized coding would hold all coefficients in memory.
  const jpeg = await sharp(pixels, { raw, limitInputPixels: MAX_PIXELS })
    .jpeg({ quality: 90, optimiseCoding: false })
    .toBuffer();
  const isRgb = profile?.toString("latin1", 16, 20) === "RGB ";
  // The JFIF segment must come first.
  const afterJfif = 4 + jpeg.readUInt16BE(4);
  const segments = profile && isRgb ? profileSegments(profile) : [];
  return await writeHashed([jpeg.subarray(0, afterJfif), ...segments, jpeg.subarray(afterJfif)], to);
}

/** APP2 segments hold up to 64 KB each (ICC.1:2022 B.4). */
function profileSegments(profile: Buffer): Buffer[] {
  const length = 65_000;
  const count = Math.ceil(profile.length / length);
  return Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * length, (index + 1) * length);
    const head = Buffer.from(`\xff\xe2\0\0ICC_PROFILE\0${String.fromCharCode(index + 1, count)}`, "latin1");
    head.writeUInt16BE(head.length + part.length - 2, 2);
    return Buffer.concat([head, part]);
  });
}

/** libheif's heif_colorspace_RGB, heif_chroma_interleaved_RGB and heif_channel_interleaved. */
const RGB = 1;
const INTERLEAVED_RGB = 10;
const INTERLEAVED = 10;
const CHANNELS = 3 as const;
/** libheif holds the image as planes and as colors, before and after the rotation. */
const BYTES_PER_PIXEL = 9;

const MAX_PROFILE_BYTES = 1_000_000;

/** WebAssembly memory never shrinks, so each file gets its own instance. */
interface Heic {
  lib: Libheif;
  handle: number;
  width: number;
  height: number;
}

async function readHeic(bytes: Uint8Array): Promise<Heic> {
  const { default: libheif } = await import("libheif-js/libheif-wasm/libheif.js");
  const lib = libheif({ wasmBinary: await Bun.file(wasm).bytes() });
  await lib.ready;
  const context = lib._heif_context_alloc();
  const from = lib._malloc(bytes.length);
  lib.HEAPU8.set(bytes, from);
  callLibheif(lib, (error) =>
    lib._heif_context_read_from_memory_without_copy(error, context, from, bytes.length, 0),
  );
  const to = lib._malloc(4);
  callLibheif(lib, (error) => lib._heif_context_get_primary_image_handle(error, context, to));
  const handle = uint32At(lib, to);
  const width = lib._heif_image_handle_get_width(handle);
  return { lib, handle, width, height: lib._heif_image_handle_get_height(handle) };
}

function pixelsOf({ lib, handle, width, height }: Heic): Buffer {
  const to = lib._malloc(8);
  callLibheif(lib, (error) => lib._heif_decode_image(error, handle, to, RGB, INTERLEAVED_RGB, 0));
  const from = lib._heif_image_get_plane_readonly(uint32At(lib, to), INTERLEAVED, to + 4);
  const stride = uint32At(lib, to + 4);
  const rowLength = width * CHANNELS;
  const pixels = Buffer.alloc(height * rowLength);
  for (let row = 0; row < height; row++) {
    const start = from + row * stride;
    pixels.set(lib.HEAPU8.subarray(start, start + rowLength), row * rowLength);
  }
  return pixels;
}

function profileOf({ lib, handle }: Heic): Buffer | null {
  const size = lib._heif_image_handle_get_raw_color_profile_size(handle);
  if (size === 0 || size > MAX_PROFILE_BYTES) return null;
  const to = lib._malloc(size);
  callLibheif(lib, (error) => lib._heif_image_handle_get_raw_color_profile(error, handle, to));
  return Buffer.from(lib.HEAPU8.subarray(to, to + size));
}

/** @param call gets the address of a struct heif_error. The first field is the error code. */
function callLibheif(lib: Libheif, call: (error: number) => void): void {
  const error = lib._malloc(12);
  call(error);
  const code = uint32At(lib, error);
  if (code !== 0) throw new Error(`libheif: error ${code}.${uint32At(lib, error + 4)}`);
}

function uint32At({ HEAPU8 }: Libheif, at: number): number {
  return new DataView(HEAPU8.buffer, at, 4).getUint32(0, true);
}
