import type { Blog } from "../../blogs/blogs";
import { type Asset, stylesheet } from "../../http/responses/assets";
import { THEME_NAMES, type ThemeName, themeNamed } from "../../themes/themes";
import { accentCss } from "./accent";
import shared from "./site.css" with { type: "text" };

export const THEME_STYLESHEETS = Object.fromEntries(
  THEME_NAMES.map((name) => [name, stylesheet(name, cssOf(name))]),
) as Record<ThemeName, Asset>;

type Styled = Pick<Blog, "id" | "theme" | "accent" | "customCss">;

/** The one stylesheet of a blog's pages: its theme's, or its own where the owner has set an accent or CSS. */
export function stylesheetOf({ id, theme, accent, customCss }: Styled): Asset {
  if (!accent && !customCss) return THEME_STYLESHEETS[theme];
  return stylesheet(`blog-${id}`, cssOf(theme) + accentCss(accent) + customCss);
}

/** The same at an address that says how the blog looks in it: for a look that is only tried. */
export function candidateSheet({ id, theme, accent, customCss }: Styled): Asset {
  const name = `look-${id}-${theme}-${accent.slice(1).toLowerCase() || "own"}`;
  return stylesheet(name, cssOf(theme) + accentCss(accent) + customCss);
}

function cssOf(theme: ThemeName): string {
  return shared + themeNamed(theme).css;
}
