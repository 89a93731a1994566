import type { Blog } from "../../blogs/blogs";
import { type Asset, stylesheet } from "../../http/responses/assets";
import { fontFaces } from "../../themes/fonts";
import { THEME_NAMES, type ThemeName, themeNamed } from "../../themes/themes";
import { accentCss } from "./accent";
import base from "./base.css" with { type: "text" };

const COMMENT = /\/\*.*?\*\/\s*/gs;

export const THEME_STYLESHEETS = Object.fromEntries(
  THEME_NAMES.map((name) => [name, stylesheet(name, cssOf(name))]),
) as Record<ThemeName, Asset>;

type Styled = Pick<Blog, "id" | "theme" | "accent" | "customCss">;

/** The theme's stylesheet, or the blog's own if it has an accent or CSS. */
export function stylesheetOf({ id, theme, accent, customCss }: Styled): Asset {
  if (!accent && !customCss) return THEME_STYLESHEETS[theme];
  return stylesheet(`blog-${id}`, cssOf(theme) + accentCss(accent) + customCss);
}

/** Stylesheet of a theme preview. */
export function candidateSheet({ id, theme, accent, customCss }: Styled): Asset {
  const name = `look-${id}-${theme}-${accent.slice(1).toLowerCase() || "own"}`;
  return stylesheet(name, cssOf(theme) + accentCss(accent) + customCss);
}

function cssOf(name: ThemeName): string {
  const { fonts, css } = themeNamed(name);
  return (fontFaces(fonts) + base + css).replace(COMMENT, "");
}
