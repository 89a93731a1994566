import { themeOf } from "../../blogs/appearance/folder-themes";
import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";

/** Darker than all light theme backgrounds, and brighter than all dark ones (test/site/design.test.ts). */
const DAY_SURFACE = "#efece5";
const NIGHT_SURFACE = "#2a2926";

export function accentOf(platen: Platen, blog: Pick<Blog, "accent" | "theme">): string {
  return blog.accent || themeOf(platen, blog).accent;
}

export function accentCss(accent: string): string {
  if (!accent) return "";
  const day = readable(accent, DAY_SURFACE, [0, 0, 0]);
  const night = readable(accent, NIGHT_SURFACE, [255, 255, 255]);
  return `:root{--accent:${day}}@media (prefers-color-scheme:dark){:root{--accent:${night}}}`;
}

/** Minimum contrast ratio of text (WCAG 2.2, 1.4.3). */
export const TEXT_CONTRAST = 4.5;
const LARGE_TEXT_CONTRAST = 3;
const INK = "#24211d";
const WHITE = "#ffffff";

type Rgb = [number, number, number];

export function inkOn(color: string): string {
  return contrast(WHITE, color) >= LARGE_TEXT_CONTRAST ? WHITE : INK;
}

function readable(color: string, surface: string, extreme: Rgb): string {
  const from = rgbOf(color);
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = from.map((part, at) => part + (((extreme[at] as number) - part) * percent) / 100) as Rgb;
    if (contrast(hexOf(mixed), surface) >= TEXT_CONTRAST) return hexOf(mixed);
  }
  return hexOf(extreme);
}

/** WCAG's contrast ratio of two colors written "#rrggbb", from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, brighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (brighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function rgbOf(color: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as Rgb;
}

function hexOf(color: Rgb): string {
  return `#${color.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
