import type { Blog } from "../../blogs/blogs";
import { themeNamed } from "../../themes/themes";
import { readable } from "./contrast";

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
