import { extname } from "node:path";
import { UNTRIMMED_FACTOR } from "../../config/request-limits";
import { MEGABYTE } from "../../config/units";
import { invalid } from "../../errors";
import { cleanText } from "../../text/clean-text";

export const MAX_FILE_BYTES = { image: 20 * MEGABYTE, video: 250 * MEGABYTE };

/** Pixels of all frames together. */
export const MAX_PIXELS = 100_000_000;

export const SNIFF_BYTES = 512;

export const FORMAT_ERROR =
  "must be a JPEG, PNG, GIF, WebP, AVIF or HEIC image or an MP4, MOV or WebM video; SVG and other types are not accepted";

export interface Format {
  readonly name: "jpeg" | "png" | "gif" | "webp" | "avif" | "heic" | "mp4" | "mov" | "webm";
  readonly mediaType: "image" | "video";
  readonly contentType: string;
  readonly extensions: readonly [string, ...string[]];
}

const FORMATS: Record<Format["name"], Format> = {
  jpeg: { name: "jpeg", mediaType: "image", contentType: "image/jpeg", extensions: ["jpg", "jpeg"] },
  png: { name: "png", mediaType: "image", contentType: "image/png", extensions: ["png"] },
  gif: { name: "gif", mediaType: "image", contentType: "image/gif", extensions: ["gif"] },
  webp: { name: "webp", mediaType: "image", contentType: "image/webp", extensions: ["webp"] },
  avif: { name: "avif", mediaType: "image", contentType: "image/avif", extensions: ["avif"] },
  // HEIC photos are stored as JPEG.
  heic: { name: "heic", mediaType: "image", contentType: "image/jpeg", extensions: ["jpg"] },
  mp4: { name: "mp4", mediaType: "video", contentType: "video/mp4", extensions: ["mp4", "m4v"] },
  mov: { name: "mov", mediaType: "video", contentType: "video/quicktime", extensions: ["mov", "qt"] },
  webm: { name: "webm", mediaType: "video", contentType: "video/webm", extensions: ["webm"] },
};

export const JPEG = FORMATS.jpeg;

export function detectFormat(head: Uint8Array): Format | null {
  const name = formatName(Buffer.from(head.buffer, head.byteOffset, head.length));
  return name && FORMATS[name];
}

export function contentTypeOf(filename: string): string | undefined {
  const extension = extname(filename).slice(1).toLowerCase();
  return Object.values(FORMATS).find((format) => format.extensions.includes(extension))?.contentType;
}

function formatName(head: Buffer): Format["name"] | null {
  const text = head.toString("latin1");
  if (text.startsWith("\xff\xd8\xff")) return "jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (/^GIF8[79]a/.test(text)) return "gif";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "webp";
  // Other Matroska files start the same way. Only the document type differs.
  if (text.startsWith("\x1a\x45\xdf\xa3")) return text.includes("\x42\x82\x84webm") ? "webm" : null;
  if (text.slice(4, 8) === "ftyp") return nameOfBrands(head);
  return null;
}

const MP4_BRAND = /^(isom|iso[2-9a-c]|mp4[12]|mp71|avc1|av01|M4V[ HP]|MSNV|dash|cmf[cs2])$/;

/** 3GPP or Sony. The file must have an MP4 brand too. */
const MP4_RELATED_BRAND = /^(3g[2p].|XAVC)$/;

/** Brands of HEVC still images (ISO/IEC 23008-12 B.4). */
const isHeic = (brand: string) => /^hei[cxms]$/.test(brand);

/** AVIF, HEIC, MP4, MOV and raw photos start with a box of brands, the major brand first. */
function nameOfBrands(head: Buffer): Format["name"] | null {
  const end = Math.min(head.readUInt32BE(0), head.length);
  const major = head.toString("latin1", 8, 12);
  const others: string[] = [];
  for (let at = 16; at + 4 <= end; at += 4) others.push(head.toString("latin1", at, at + 4));

  if (major === "avif" || major === "avis") return "avif";
  if (major === "mif1" || major === "msf1")
    return others.some((brand) => /^avi[fs]$/.test(brand)) ? "avif" : others.some(isHeic) ? "heic" : null;
  if (isHeic(major)) return "heic";
  if (major === "qt  ") return "mov";
  if (MP4_BRAND.test(major)) return "mp4";
  if (MP4_RELATED_BRAND.test(major) && others.some((brand) => MP4_BRAND.test(brand))) return "mp4";
  return null;
}

const MAX_CAPTION_LENGTH = 10_000;

export function checkCaption(text: string): string {
  const caption = text.length <= UNTRIMMED_FACTOR * MAX_CAPTION_LENGTH ? cleanText(text).trim() : text;
  if (caption.length > MAX_CAPTION_LENGTH)
    throw invalid({ caption: [`must be at most ${MAX_CAPTION_LENGTH} characters`] });
  return caption;
}
