import type { Format } from "../files/file-formats-and-limits";

/**
 * Drops EXIF, XMP, IPTC, comments and unknown data, because they may reveal the location.
 * @param orientation from EXIF, kept only for JPEG, because some browsers ignore it in other formats
 * @returns the parts of the new file; null if the file cannot be cleaned, for example because it is truncated
 */
export function partsWithoutMetadata(bytes: Buffer, format: Format, orientation = 1): Buffer[] | null {
  try {
    return PARTS_OF[format.name]?.(bytes, orientation) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null; // reading beyond the end: the file is truncated
    throw error;
  }
}

const PARTS_OF: Partial<Record<Format["name"], (bytes: Buffer, orientation: number) => Buffer[] | null>> = {
  jpeg: partsOfJpeg,
  png: partsOfPng,
  gif: partsOfGif,
  webp: partsOfWebp,
  avif: avifWithoutMetadata,
};

// ─── JPEG: segments start with FF xx and a length; compressed data without a length follows "start of scan" ───

function partsOfJpeg(bytes: Buffer, orientation: number): Buffer[] | null {
  const parts = [bytes.subarray(0, 2)];
  for (let at = 2; ; ) {
    const marker = bytes.readUInt16BE(at);
    if (marker === 0xffd9) return insertOrientation([...parts, bytes.subarray(at, at + 2)], orientation);
    if (marker === 0xffff)
      at += 1; // fill byte
    else if (marker < 0xffc0) return null;
    else {
      let end = at + 2 + bytes.readUInt16BE(at + 2);
      if (marker === 0xffda) end = endOfScan(bytes, end);
      const segment = bytes.subarray(at, end);
      if (isKeptSegment(marker, segment)) parts.push(segment);
      at = end;
    }
  }
}

function isKeptSegment(marker: number, segment: Buffer): boolean {
  const isApplication = marker >= 0xffe0 && marker <= 0xffef;
  const isComment = marker === 0xfffe;
  if (!isApplication) return !isComment;
  const kind = segment.toString("latin1", 4, 16);
  return /^(JFIF\0|ICC_PROFILE\0|Adobe)/.test(kind);
}

/** A JFIF segment must stay first. */
function insertOrientation(parts: Buffer[], orientation: number): Buffer[] {
  if (orientation === 1) return parts;
  const isJfif = parts[1]?.toString("latin1", 4, 9) === "JFIF\0";
  return parts.toSpliced(isJfif ? 2 : 1, 0, exifSegment(orientation));
}

/** A big-endian TIFF with one directory of one entry: tag 0112, SHORT, count 1. */
function exifSegment(orientation: number): Buffer {
  const [head, entry] = ["4d4d002a00000008", "0001" + "01120003000000010000" + "0000" + "00000000"];
  const tiff = Buffer.from(head + entry, "hex");
  tiff.writeUInt16BE(orientation, 18);
  const segment = Buffer.concat([Buffer.from("\xff\xe1\0\0Exif\0\0", "latin1"), tiff]);
  segment.writeUInt16BE(segment.length - 2, 2);
  return segment;
}

/** In compressed data, FF is followed by 00 or a restart marker (D0–D7). */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && next !== 0xff && (next & 0xf8) !== 0xd0) return at;
  }
  throw new RangeError("no end of scan");
}

// ─── PNG: chunks of length, type, data, checksum ─────────────────────────────────────────────────────────────────

const PNG_CHUNK =
  /^(IHDR|PLTE|IDAT|IEND|tRNS|gAMA|cHRM|sRGB|iCCP|cICP|mDCV|cLLI|sBIT|bKGD|pHYs|acTL|fcTL|fdAT)$/;

function partsOfPng(bytes: Buffer): Buffer[] | null {
  const parts = [bytes.subarray(0, 8)];
  for (let at = 8; ; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (end > bytes.length) return null;
    if (PNG_CHUNK.test(type)) parts.push(bytes.subarray(at, end));
    if (type === "IEND") return parts;
    at = end;
  }
}

// ─── GIF: a header with a palette, then extensions (21) and images (2C) of sub-blocks, then 3B ───────────────────

const GIF_HEADER = 13;

function partsOfGif(bytes: Buffer): Buffer[] | null {
  let at = GIF_HEADER + paletteLength(bytes.readUInt8(10));
  const parts = [bytes.subarray(0, at)];
  for (;;) {
    const introducer = bytes.readUInt8(at);
    if (introducer === 0x3b) return [...parts, bytes.subarray(at, at + 1)];
    if (introducer !== 0x21 && introducer !== 0x2c) return null;
    const isImage = introducer === 0x2c;
    const end = endOfSubBlocks(bytes, isImage ? at + 11 + paletteLength(bytes.readUInt8(at + 9)) : at + 2);
    if (isImage || isKeptExtension(bytes.subarray(at, end))) parts.push(bytes.subarray(at, end));
    at = end;
  }
}

function paletteLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** F9 is frame timing and transparency. The two applications store the loop count. */
function isKeptExtension(extension: Buffer): boolean {
  if (extension[1] === 0xf9) return true;
  return extension[1] === 0xff && /^(NETSCAPE2\.0|ANIMEXTS1\.0)$/.test(extension.toString("latin1", 3, 14));
}

function endOfSubBlocks(bytes: Buffer, from: number): number {
  let at = from;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += 1 + length;
  return at + 1;
}

// ─── WebP: RIFF chunks of type, length and data, padded to even; flags in VP8X list the chunks ───

const WEBP_CHUNK = /^(VP8 |VP8L|VP8X|ALPH|ANIM|ANMF|ICCP)$/;
const EXIF_AND_XMP_FLAGS = 0x0c;

function partsOfWebp(bytes: Buffer): Buffer[] | null {
  const header = Buffer.from(bytes.subarray(0, 12));
  const fileEnd = 8 + header.readUInt32LE(4);
  const parts: Buffer[] = [header];
  if (fileEnd > bytes.length) return null;
  for (let at = 12; at < fileEnd; ) {
    const type = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length & 1);
    if (end > bytes.length) return null;
    if (WEBP_CHUNK.test(type))
      parts.push(type === "VP8X" ? withoutFlags(bytes, at, end) : bytes.subarray(at, end));
    at = end;
  }
  header.writeUInt32LE(parts.reduce((sum, part) => sum + part.length, 0) - 8, 4);
  return parts;
}

function withoutFlags(bytes: Buffer, at: number, end: number): Buffer {
  const chunk = Buffer.from(bytes.subarray(at, end));
  chunk[8] = chunk.readUInt8(8) & ~EXIF_AND_XMP_FLAGS;
  return chunk;
}

/** libwebp walks all earlier frames for each frame, so 200,000 frames take minutes. */
export const MAX_WEBP_FRAMES = 10_000;

/** May be higher than the number of frames, if pixels happen to contain the name. */
export function webpFramesIn(bytes: Buffer): number {
  let frames = 0;
  for (let at = bytes.indexOf("ANMF"); at !== -1; at = bytes.indexOf("ANMF", at + 4)) frames++;
  return frames;
}

/** Each scan costs a pass over the whole image. Encoders write about ten scans. */
export const MAX_JPEG_SCANS = 100;

/** Like libjpeg, skips malformed data. */
export function scansIn(bytes: Buffer): number {
  let scans = 0;
  for (let at = bytes.indexOf(0xff, 2); at !== -1; at = bytes.indexOf(0xff, at)) {
    while (bytes[at] === 0xff) at++;
    const marker = bytes[at++];
    if (marker === undefined || marker === END_OF_IMAGE) break;
    if (marker === START_OF_SCAN) scans++;
    if (hasLength(marker) && at + 2 <= bytes.length) at += Math.max(2, bytes.readUInt16BE(at));
  }
  return scans;
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Escaped FF, TEM, start and restart markers have no length. */
function hasLength(marker: number): boolean {
  return marker > 0x01 && (marker < 0xd0 || marker > 0xd8);
}

/**
 * Boxes refer to each other by position, so metadata is overwritten in place. Boxes become "free" (ISO/IEC
 * 14496-12). Items get an unknown type and zeros.
 * @returns null if the file has no "meta" box
 * @throws RangeError if the file is malformed or truncated
 */
function avifWithoutMetadata(bytes: Buffer): Buffer[] | null {
  const cleaned = Buffer.from(bytes);
  const boxes = boxesIn(cleaned, 0, cleaned.length);
  if (!boxes.some(({ type }) => type === "meta")) return null;
  for (const box of boxes) {
    if (box.type === "meta") cleanMeta(cleaned, box);
    else if (box.type === "moov") cleanMovie(cleaned, box);
    else if (!/^(ftyp|mdat)$/.test(box.type)) blankBox(cleaned, box);
  }
  const end = boxes.at(-1)?.end as number;
  return [cleaned.subarray(0, end)];
}

interface Box {
  type: string;
  start: number;
  content: number;
  end: number;
}

/** ISO/IEC 14496-12. Length 1: 8 bytes of length follow the type. Length 0: up to the range's end. */
function boxesIn(bytes: Buffer, from: number, until: number): Box[] {
  const boxes: Box[] = [];
  for (let start = from; start + 8 <= until; ) {
    const length = bytes.readUInt32BE(start);
    const isLong = length === 1;
    const end = length === 0 ? until : start + (isLong ? Number(bytes.readBigUInt64BE(start + 8)) : length);
    const content = start + (isLong ? 16 : 8);
    if (end < content || end > until) throw new RangeError("a box is longer than its container");
    boxes.push({ type: bytes.toString("latin1", start + 4, start + 8), start, content, end });
    start = end;
  }
  return boxes;
}

function blankBox(bytes: Buffer, { start, content, end }: Box): void {
  bytes.write("free", start + 4, "latin1");
  bytes.fill(0, content, end);
}

const KEPT_IN_META = /^(hdlr|pitm|iloc|iinf|iprp|iref|idat|grpl|dinf)$/;
const PICTURE_ITEM = /^(av01|grid|iovl|iden|tmap)$/;

function cleanMeta(bytes: Buffer, meta: Box): void {
  const boxes = boxesIn(bytes, meta.content + 4, meta.end);
  const named = (type: string) => boxes.find((box) => box.type === type);
  const [infos, locations] = [named("iinf"), named("iloc")];
  if (!infos || !locations) throw new RangeError("no items");
  const metadataIds = new Set<number>();
  for (const { id, typeAt } of itemsIn(bytes, infos)) {
    if (PICTURE_ITEM.test(bytes.toString("latin1", typeAt, typeAt + 4))) continue;
    metadataIds.add(id);
    bytes.write("skip", typeAt, "latin1");
  }
  for (const { id, from, until } of extentsIn(bytes, locations, named("idat")))
    if (metadataIds.has(id)) bytes.fill(0, from, until);
  for (const box of boxes) if (!KEPT_IN_META.test(box.type)) blankBox(bytes, box);
}

function cleanMovie(bytes: Buffer, movie: Box): void {
  for (const box of boxesIn(bytes, movie.content, movie.end)) {
    if (box.type === "trak") cleanMovie(bytes, box);
    else if (!/^(mvhd|mvex|tkhd|tref|edts|mdia)$/.test(box.type)) blankBox(bytes, box);
  }
}

/** `width` is in bytes. A number of width 0 is 0. */
function reader(bytes: Buffer, at: number) {
  const next = (width: number): number => {
    at += width;
    if (width === 8) return Number(bytes.readBigUInt64BE(at - 8));
    return width === 0 ? 0 : bytes.readUIntBE(at - width, width);
  };
  return { next, at: () => at };
}

/** ISO/IEC 14496-12, 8.11.6. @throws RangeError for versions below 2, which AVIF does not allow */
function itemsIn(bytes: Buffer, infos: Box): { id: number; typeAt: number }[] {
  const isWide = bytes.readUInt8(infos.content) > 0;
  return boxesIn(bytes, infos.content + (isWide ? 8 : 6), infos.end).map(({ content }) => {
    const { next, at } = reader(bytes, content);
    const version = next(1);
    if (version < 2) throw new RangeError("an item without a type");
    next(3);
    const id = next(version === 2 ? 2 : 4);
    next(2);
    return { id, typeAt: at() };
  });
}

/** ISO/IEC 14496-12, 8.11.3. @param data box for extents with construction method 1 */
function extentsIn(bytes: Buffer, locations: Box, data: Box | undefined) {
  const { next } = reader(bytes, locations.content);
  const version = next(1);
  next(3);
  const widths = next(2);
  const [offsetWidth, lengthWidth, baseWidth] = [widths >> 12, (widths >> 8) & 15, (widths >> 4) & 15];
  const indexWidth = version === 0 ? 0 : widths & 15;
  const extents: { id: number; from: number; until: number }[] = [];
  for (let items = next(version < 2 ? 2 : 4); items > 0; items--) {
    const id = next(version < 2 ? 2 : 4);
    const isInData = version > 0 && (next(2) & 15) === 1;
    next(2);
    const base = next(baseWidth) + (isInData ? (data?.content ?? 0) : 0);
    let extent = next(2);
    if (extent > 1 && indexWidth + offsetWidth + lengthWidth === 0)
      throw new RangeError("extents without positions");
    for (; extent > 0; extent--) {
      next(indexWidth);
      const from = base + next(offsetWidth);
      extents.push({ id, from, until: from + next(lengthWidth) });
    }
  }
  return extents;
}
