import type { Blog } from "../../blogs/blogs";
import { html } from "../../html";
import type { Platen } from "../../platen";
import type { BlogRequest, Document } from "../route";
import { accentOf } from "../styles/accent";
import { inkOn } from "../styles/contrast";
import { xmlDocument } from "../text/xml";
import { drawable, initialOf } from "./drawable-text";
import { keptPicture, type Pencils } from "./drawn-images";

/** Counts up when icons are to look another way. */
const DESIGN = 1;
/** Of the icons that phones and the web app manifest ask for, in pixels. */
export const PNG_SIZES = [180, 192, 512];
/** Of the icon that old programs ask for, in pixels. */
const OLD_SIZE = 48;
/** The letter's part of the icon's height: what a phone cuts off round icons stays clear of it. */
const LETTER = 0.56;

/** The blog's initial on its colour. */
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
  const look = new Bun.CryptoHasher("sha256").update(JSON.stringify([DESIGN, accent, letter])).digest("hex");
  return keptPicture(platen, `icon-${blog.id}-${size}`, look.slice(0, 16), (pencils) =>
    draw(accent, letter, size, pencils),
  );
}

/** A font without the letter leaves a dot. */
async function draw(accent: string, letter: string | null, size: number, { sharp, fontfile }: Pencils) {
  const ink = inkOn(accent);
  const dot = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><circle cx="50%" cy="50%" r="20%" fill="${ink}"/></svg>`;
  const input = letter
    ? await sharp({
        text: {
          text: html`<span foreground="${ink}">${letter}</span>`.markup,
          font: `Inter Bold ${Math.round(size * LETTER)}`,
          fontfile,
          dpi: 72,
          rgba: true,
        },
      })
        .png()
        .toBuffer()
    : Buffer.from(dot);
  const ground = { width: size, height: size, channels: 3 as const, background: accent };
  return await sharp({ create: ground }).composite([{ input }]).png().toBuffer();
}

/** An ICO file of one picture, which may be a PNG as it is. */
export async function icoIcon({ platen, blog }: BlogRequest): Promise<Document> {
  const png = await drawnIcon(platen, blog, OLD_SIZE);
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // with one picture
  header.writeUInt8(OLD_SIZE, 6);
  header.writeUInt8(OLD_SIZE, 7);
  header.writeUInt16LE(1, 10); // colour planes
  header.writeUInt16LE(32, 12); // bits a pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18); // where the picture begins
  return { contentType: "image/x-icon", body: Buffer.concat([header, png]) };
}
