import { normalizeAccent } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { findTheme, themeOf } from "../../blogs/folder-themes";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type Asset, stylesheet } from "../../http/responses/assets";
import type { Platen } from "../../platen";
import { type Design, designCss, designErrors, designInQuery, fontsOf } from "../../themes/design-choices";
import { fontFaces } from "../../themes/fonts";
import { isThemeName, THEME_NAMES, type Theme, type ThemeName, themeNamed } from "../../themes/theme-list";
import base from "./base.css" with { type: "text" };

const COMMENT = /\/\*.*?\*\/\s*/gs;

export const THEME_STYLESHEETS = Object.fromEntries(
  THEME_NAMES.map((name) => [name, stylesheet(name, cssOf(themeNamed(name), {}))]),
) as Record<ThemeName, Asset>;

type Styled = Pick<Blog, "id" | "theme" | "accent" | "design" | "customCss">;

export function stylesheetOf(platen: Platen, blog: Styled): Asset {
  const { id, accent, customCss, design } = blog;
  const theme = themeOf(platen, blog);
  const isOwn = accent || customCss || designCss(theme, design) || fontsOf(theme, design) !== theme.fonts;
  if (isThemeName(blog.theme) && !isOwn) return THEME_STYLESHEETS[blog.theme];
  return stylesheet(`blog-${id}`, blogCss(platen, blog));
}

export function withLook(platen: Platen, blog: Blog, query: URLSearchParams): Blog {
  const theme = query.get("theme") ?? "";
  const accent = normalizeAccent(query.get("accent")?.slice(0, MAX_LENGTHS.typedLine) ?? blog.accent);
  const requested = designInQuery(query);
  const isValid = Object.keys(designErrors(requested)).length === 0;
  return {
    ...blog,
    theme: findTheme(platen, theme) ? theme : blog.theme,
    accent: accent ?? blog.accent,
    design: isValid ? { ...blog.design, ...requested } : blog.design,
  };
}

/** The query of the stylesheet's URL contains the design, so that nothing is stored. */
export function previewSheet(platen: Platen, blog: Styled): Asset {
  return stylesheet(`look-${blog.id}`, blogCss(platen, blog));
}

function blogCss(platen: Platen, blog: Styled): string {
  const theme = themeOf(platen, blog);
  return cssOf(theme, blog.design) + designCss(theme, blog.design) + accentCss(blog.accent) + blog.customCss;
}

function cssOf(theme: Theme, design: Design): string {
  return (fontFaces(fontsOf(theme, design)) + base + theme.css).replace(COMMENT, "");
}

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
