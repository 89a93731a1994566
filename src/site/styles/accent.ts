import type { Blog } from "../../blogs/blogs";
import { themeNamed } from "../../themes/themes";
import { contrast, hexOf, type Rgb, rgbOf } from "./contrast";

/** WCAG 2.2, 1.4.3: text against what is behind it. */
const TEXT_CONTRAST = 4.5;
/** The darkest background in any theme by day, the brightest by night; test/site/design.test.ts holds them. */
const DAY_SURFACE = "#efece5";
const NIGHT_SURFACE = "#2a2926";

/** The owner's colour, or the theme's: "#rrggbb". */
export function accentOf({ accent, theme }: Pick<Blog, "accent" | "theme">): string {
  return accent || themeNamed(theme).accent;
}

/** CSS that sets the owner's accent, darkened by day and lightened by night until it can be read; "" without one. */
export function accentCss(accent: string): string {
  if (!accent) return "";
  const day = readable(accent, DAY_SURFACE, [0, 0, 0]);
  const night = readable(accent, NIGHT_SURFACE, [255, 255, 255]);
  return `:root{--accent:${day}}@media (prefers-color-scheme:dark){:root{--accent:${night}}}`;
}

/** @param extreme black or white, which the colour is mixed with step by step */
function readable(accent: string, surface: string, extreme: Rgb): string {
  const from = rgbOf(accent);
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = from.map((part, at) => part + (((extreme[at] as number) - part) * percent) / 100) as Rgb;
    if (contrast(hexOf(mixed), surface) >= TEXT_CONTRAST) return hexOf(mixed);
  }
  return hexOf(extreme);
}
