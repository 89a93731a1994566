import type { Drawing } from "../../media/decoder/decoder-tasks";
import { html } from "../../text/html";
import type { BlogRequest, Document } from "../built-in-page";
import { accentOf, inkOn } from "../styles/accent-and-contrast";
import { xmlDocument } from "../text/xml";
import { drawable, drawOnce, fingerprintOf, initialOf } from "./drawn-images";

/** Increase this number when the drawing changes, so that icons are redrawn. */
const ICON_DESIGN_VERSION = 1;
export const PNG_SIZES = [180, 192, 512];
/** In pixels. /favicon.ico is a PNG too, because browsers look at the content. */
export const FAVICON_SIZE = 48;
/** Font size relative to the icon's height. Leaves space, because some devices crop icons to a circle. */
const LETTER = 0.56;

export function svgIcon({ platen, blog }: BlogRequest): Document {
  const accent = accentOf(platen, blog);
  const body = xmlDocument(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${accent}"/><text x="32" y="33" fill="${inkOn(accent)}" font-family="system-ui, sans-serif" font-weight="700" font-size="38" text-anchor="middle" dominant-baseline="central">${initialOf(blog.title)}</text></svg>`,
  );
  return { contentType: "image/svg+xml", body };
}

export async function pngIcon({ platen, blog }: BlogRequest, size: number): Promise<Document> {
  const accent = accentOf(platen, blog);
  const letter = drawable(initialOf(blog.title));
  const fingerprint = fingerprintOf([ICON_DESIGN_VERSION, accent, letter]);
  const drawing = drawingOf(accent, letter, size);
  const body = await drawOnce(platen, `icon-${blog.id}-${size}`, fingerprint, drawing);
  return { contentType: "image/png", body };
}

function drawingOf(accent: string, letter: string | null, size: number): Drawing {
  const ink = inkOn(accent);
  const dot = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><circle cx="50%" cy="50%" r="20%" fill="${ink}"/></svg>`;
  const markup = html`<span foreground="${ink}">${letter}</span>`.markup;
  const layer = letter
    ? { candidates: [{ markup, size: Math.round(size * LETTER) }], font: "inter" as const }
    : { svg: dot };
  return { width: size, height: size, background: accent, layers: [layer] };
}
