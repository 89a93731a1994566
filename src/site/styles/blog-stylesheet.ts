import { normalizeAccent } from "../../blogs/appearance/accent-check";
import { findTheme, themeOf } from "../../blogs/appearance/folder-themes";
import type { Blog } from "../../blogs/blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type Asset, stylesheet } from "../../http/responses/assets";
import type { Platen } from "../../platen";
import { type Design, designCss, designErrors, designInQuery, fontsOf } from "../../themes/design-choices";
import { fontFaces } from "../../themes/fonts";
import { isThemeName, THEME_NAMES, type Theme, type ThemeName, themeNamed } from "../../themes/theme-list";
import { accentCss } from "./accent-and-contrast";
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
