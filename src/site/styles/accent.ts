import { themeOf } from "../../blogs/appearance/folder-themes";
import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { readable } from "./contrast";

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
