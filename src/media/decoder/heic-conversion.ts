import { readFile } from "node:fs/promises";
import type { Libheif } from "libheif-js/libheif-wasm/libheif.js";
import wasm from "libheif-js/libheif-wasm/libheif.wasm" with { type: "file" };
import { MAX_PIXELS } from "../files/file-formats-and-limits";
import { exifSegment } from "../metadata/metadata-stripping";
import { loadSharp } from "../sharp/sharp";
import type { Crop, Task, WrittenFile } from "./decoder-tasks";
import { FIXED_BYTES } from "./memory-estimate";
import { assertMemory, assertPixels, orImageError, writeHashed } from "./reading-pictures";

/** Converts a HEIC photo to a JPEG. Keeps its orientation and color profile. @throws ImageError */
export async function convertHeic({
  path,
  to,
  maxMemory,
  dataFolder,
}: Task<"convert">): Promise<WrittenFile> {
  const bytes = await readFile(path);
  const damaged = "is damaged: it cannot be read as a HEIC image";
  const picture = await orImageError(HeicPicture.read(bytes), damaged);
  const { header } = picture;
  assertPixels(header.width * header.height);
  assertMemory(memoryForHeic(header, bytes.length), maxMemory);
  const [profile, pixels] = await orImageError(
    Promise.try(() => [picture.profile(), picture.pixels()] as const),
    damaged,
  );
  const jpeg = await encodeJpeg(dataFolder, pixels, header);
  const isRgb = profile?.toString("latin1", 16, 20) === "RGB ";
  const segments = [exifSegment(header.orientation), ...(profile && isRgb ? profileSegments(profile) : [])];
  // The JFIF segment must come first.
  const afterJfif = 4 + jpeg.readUInt16BE(4);
  return await writeHashed([jpeg.subarray(0, afterJfif), ...segments, jpeg.subarray(afterJfif)], to);
}

async function encodeJpeg(dataFolder: string, pixels: Buffer, header: HeicHeader): Promise<Buffer> {
  const sharp = await loadSharp(dataFolder);
  const raw = { width: header.width, height: header.height, channels: CHANNELS };
  const shown = sharp(pixels, { raw, limitInputPixels: MAX_PIXELS });
  const { crop } = header;
  // Optimized coding is off, because it holds all coefficients in memory.
  return await (crop ? shown.extract(crop) : shown).jpeg({ quality: 90, optimiseCoding: false }).toBuffer();
}

/** Splits an ICC profile into APP2 segments of up to 64 KB (ICC.1:2022 B.4). */
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

/**
 * Constants from libheif's heif_image.h: heif_colorspace_RGB, heif_chroma_interleaved_RGB, heif_channel_interleaved.
 */
const RGB = 1;
const INTERLEAVED_RGB = 10;
const INTERLEAVED = 10;
const CHANNELS = 3 as const;

const MAX_PROFILE_BYTES = 1_000_000;

interface HeicHeader {
  width: number;
  height: number;
  /** Number of pixels decoded at a time. Phones split photos into hundreds of tiles. */
  tilePixels: number;
  /** Visible part of the image; null for the whole image. */
  crop: Crop | null;
  /** Orientation as an Exif value, 1 to 8. */
  orientation: number;
}

interface Tiling {
  columns: number;
  rows: number;
  tileWidth: number;
  tileHeight: number;
  width: number;
  height: number;
}

/** The primary image of a HEIC file. WebAssembly never frees memory, so each file gets its own instance. */
class HeicPicture {
  private constructor(
    private readonly lib: Libheif,
    private readonly handle: number,
    private readonly tiling: Tiling,
    readonly header: HeicHeader,
  ) {}

  /** @throws Error if the file cannot be read */
  static async read(bytes: Uint8Array): Promise<HeicPicture> {
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
    const tiling = tilingOf(lib, handle);
    const { width, height, tileWidth, tileHeight } = tiling;
    const header = { width, height, tilePixels: tileWidth * tileHeight };
    return new HeicPicture(lib, handle, tiling, {
      ...header,
      ...transformationsOf(lib, context, handle, tiling),
    });
  }

  /** @throws Error if a tile cannot be decoded */
  pixels(): Buffer {
    const { width, height, columns, rows } = this.tiling;
    const pixels = Buffer.alloc(width * height * CHANNELS);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) this.copyTile(pixels, column, row);
    return pixels;
  }

  private copyTile(pixels: Buffer, column: number, row: number): void {
    const { lib, handle } = this;
    const { width, height, tileWidth, tileHeight } = this.tiling;
    const to = lib._malloc(8);
    const options = lib._heif_decoding_options_alloc();
    // struct heif_decoding_options starts with the version, then ignore_transformations.
    lib.HEAPU8[options + 1] = 1;
    callLibheif(lib, (error) =>
      lib._heif_image_handle_decode_image_tile(error, handle, to, RGB, INTERLEAVED_RGB, options, column, row),
    );
    const image = uint32At(lib, to);
    const from = lib._heif_image_get_plane_readonly(image, INTERLEAVED, to + 4);
    const stride = uint32At(lib, to + 4);
    const [x, y] = [column * tileWidth, row * tileHeight];
    const length = Math.min(lib._heif_image_get_width(image, INTERLEAVED), width - x);
    const lines = Math.min(lib._heif_image_get_height(image, INTERLEAVED), height - y);
    for (let line = 0; line < lines; line++) {
      const start = from + line * stride;
      pixels.set(lib.HEAPU8.subarray(start, start + length * CHANNELS), ((y + line) * width + x) * CHANNELS);
    }
    lib._heif_image_release(image);
    lib._heif_decoding_options_free(options);
  }

  /** Returns the ICC profile or null. Phone photos use colors outside sRGB. */
  profile(): Buffer | null {
    const { lib, handle } = this;
    const size = lib._heif_image_handle_get_raw_color_profile_size(handle);
    if (size === 0 || size > MAX_PROFILE_BYTES) return null;
    const to = lib._malloc(size);
    callLibheif(lib, (error) => lib._heif_image_handle_get_raw_color_profile(error, handle, to));
    return Buffer.from(lib.HEAPU8.subarray(to, to + size));
  }
}

/** Reads struct heif_image_tiling, which starts with version, columns, rows, tile size and image size. */
function tilingOf(lib: Libheif, handle: number): Tiling {
  const to = lib._malloc(128);
  callLibheif(lib, (error) => lib._heif_image_handle_get_image_tiling(error, handle, 0, to));
  const [columns = 0, rows = 0, tileWidth = 0, tileHeight = 0, width = 0, height = 0] = [
    1, 2, 3, 4, 5, 6,
  ].map((index) => uint32At(lib, to + 4 * index));
  return { columns, rows, tileWidth, tileHeight, width, height };
}

const MAX_TRANSFORMATIONS = 8;
const [CROP, TURN, MIRROR] = ["clap", "irot", "imir"].map((type) => Buffer.from(type).readUInt32BE()) as [
  number,
  number,
  number,
];
/** Exif orientation by number of clockwise quarter turns. Mirrored images are mirrored horizontally before turning. */
const ORIENTATIONS = { plain: [1, 6, 3, 8], mirrored: [2, 7, 4, 5] };

/** Reads crop and orientation from the HEIC. Readers ignore Exif orientation (ISO/IEC 23008-12 A.2.1). */
function transformationsOf(lib: Libheif, context: number, handle: number, { width, height }: Tiling) {
  const item = lib._heif_image_handle_get_item_id(handle);
  const list = lib._malloc(4 * MAX_TRANSFORMATIONS);
  const count = lib._heif_item_get_transformation_properties(context, item, list, MAX_TRANSFORMATIONS);
  let [crop, turns, isMirrored]: [Crop | null, number, boolean] = [null, 0, false];
  for (let index = 0; index < count; index++) {
    const property = uint32At(lib, list + 4 * index);
    const type = lib._heif_item_get_property_type(context, item, property) >>> 0;
    if (type === TURN)
      turns -= lib._heif_item_get_property_transform_rotation_ccw(context, item, property) / 90;
    if (type === MIRROR) {
      const isUpsideDown = lib._heif_item_get_property_transform_mirror(context, item, property) === 0;
      turns = (isUpsideDown ? 2 : 0) - turns;
      isMirrored = !isMirrored;
    }
    // The standard requires the crop to come first.
    if (type === CROP && turns === 0 && !isMirrored) {
      const at = lib._malloc(16);
      const borders = [at, at + 4, at + 8, at + 12] as const;
      lib._heif_item_get_property_transform_crop_borders(context, item, property, width, height, ...borders);
      crop = cropOf(
        borders.map((border) => uint32At(lib, border) | 0),
        width,
        height,
      );
    }
  }
  const quarters = ((turns % 4) + 4) % 4;
  return { crop, orientation: ORIENTATIONS[isMirrored ? "mirrored" : "plain"][quarters] as number };
}

/** @param borders left, top, right and bottom @returns null if nothing is visible */
function cropOf(borders: number[], width: number, height: number): Crop | null {
  const [left = 0, top = 0, right = 0, bottom = 0] = borders;
  const crop = { left, top, width: width - left - right, height: height - top - bottom };
  return borders.every((border) => border >= 0) && crop.width > 0 && crop.height > 0 ? crop : null;
}

/**
 * Calls libheif and checks for an error.
 * @param call receives the address of a struct heif_error, whose first field is its code
 */
function callLibheif(lib: Libheif, call: (error: number) => void): void {
  const error = lib._malloc(12);
  call(error);
  const code = uint32At(lib, error);
  if (code !== 0) throw new Error(`libheif: error ${code}.${uint32At(lib, error + 4)}`);
}

function uint32At({ HEAPU8 }: Libheif, at: number): number {
  return new DataView(HEAPU8.buffer, at, 4).getUint32(0, true);
}

/**
 * Returns the bytes of memory to convert a HEIC: all pixels, the file twice, and libheif's 10 bytes per tile pixel.
 */
function memoryForHeic({ width, height, tilePixels }: HeicHeader, byteSize: number): number {
  return FIXED_BYTES + width * height * CHANNELS + 2 * byteSize + 10 * tilePixels;
}
