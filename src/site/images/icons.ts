import type { Blog } from "../../blogs/blogs";
import type { Drawing } from "../../media/decoder/decoder-tasks";
import type { Platen } from "../../platen";
import { html } from "../../text/html";
import type { BlogRequest, Document } from "../route";
import { accentOf } from "../styles/accent";
import { inkOn } from "../styles/contrast";
import { xmlDocument } from "../text/xml";
import { drawable, initialOf } from "./drawable-text";
import { drawnOnce } from "./drawn-images";

/** Count it up when the drawing of icons changes: they are drawn anew then. */
const DESIGN = 1;
/** Of the icons that phones and the web app manifest ask for, in pixels. */
export const PNG_SIZES = [180, 192, 512];
/** Of the picture in favicon.ico, in pixels. */
const ICO_SIZE = 48;
/** The letter's share of the icon's height: phones that cut icons round cut nothing off it. */
const LETTER = 0.56;

/** The first letter of the blog's title on its accent. */
export function svgIcon({ blog }: BlogRequest): Document {
  const accent = accentOf(blog);
  const body = xmlDocument(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${accent}"/><text x="32" y="33" fill="${inkOn(accent)}" font-family="system-ui, sans-serif" font-weight="700" font-size="38" text-anchor="middle" dominant-baseline="central">${initialOf(blog.title)}</text></svg>`,
  );
  return { contentType: "image/svg+xml", body };
}

/** @param size in pixels */
export async function pngIcon({ platen, blog }: BlogRequest, size: number): Promise<Document> {
  return { contentType: "image/png", body: await drawnIcon(platen, blog, size) };
}

function drawnIcon(platen: Platen, blog: Blog, size: number): Promise<Uint8Array> {
  const accent = accentOf(blog);
  const letter = drawable(initialOf(blog.title));
  const fingerprint = new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([DESIGN, accent, letter]))
    .digest("hex");
  return drawnOnce(
    platen,
    `icon-${blog.id}-${size}`,
    fingerprint.slice(0, 16),
    drawingOf(accent, letter, size),
  );
}

/** @param letter null where the font does not have it: a dot is drawn then */
function drawingOf(accent: string, letter: string | null, size: number): Drawing {
  const ink = inkOn(accent);
  const dot = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><circle cx="50%" cy="50%" r="20%" fill="${ink}"/></svg>`;
  const markup = html`<span foreground="${ink}">${letter}</span>`.markup;
  const sign = letter ? { wordings: [{ markup, size: Math.round(size * LETTER) }] } : { svg: dot };
  return { width: size, height: size, ground: accent, hasPalette: false, layers: [sign] };
}

/** An ICO file that holds one PNG. */
export async function icoIcon({ platen, blog }: BlogRequest): Promise<Document> {
  const png = await drawnIcon(platen, blog, ICO_SIZE);
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // with one picture
  header.writeUInt8(ICO_SIZE, 6);
  header.writeUInt8(ICO_SIZE, 7);
  header.writeUInt16LE(1, 10); // colour planes
  header.writeUInt16LE(32, 12); // bits a pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18); // where the picture begins
  return { contentType: "image/x-icon", body: Buffer.concat([header, png]) };
}
