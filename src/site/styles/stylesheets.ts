import { findTheme, themeOf } from "../../blogs/appearance/folder-themes";
import { normalizeAccent } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { type Asset, stylesheet } from "../../http/responses/assets";
import type { Platen } from "../../platen";
import { type Design, designCss, designErrors, designFrom, fontsOf } from "../../themes/design";
import { fontFaces } from "../../themes/fonts";
import { isThemeName, THEME_NAMES, type Theme, type ThemeName, themeNamed } from "../../themes/themes";
import { accentCss } from "./accent";
import base from "./base.css" with { type: "text" };

const COMMENT = /\/\*.*?\*\/\s*/gs;

export const THEME_STYLESHEETS = Object.fromEntries(
  THEME_NAMES.map((name) => [name, stylesheet(name, cssOf(themeNamed(name), {}))]),
) as Record<ThemeName, Asset>;

/** The choices that determine a blog's appearance, apart from its own CSS. */
export type Look = Pick<Blog, "theme" | "accent" | "design">;
type Styled = Look & Pick<Blog, "id" | "customCss">;

/** The theme's stylesheet, or the blog's own if its design, accent or CSS differ. */
export function stylesheetOf(platen: Platen, blog: Styled): Asset {
  const { id, accent, customCss, design } = blog;
  const theme = themeOf(platen, blog);
  const isOwn = accent || customCss || designCss(theme, design) || fontsOf(theme, design) !== theme.fonts;
  const isBuiltIn = isThemeName(blog.theme) && !isOwn;
  return isBuiltIn
    ? THEME_STYLESHEETS[blog.theme as ThemeName]
    : stylesheet(`blog-${id}`, blogCss(platen, blog));
}

/** Stylesheet of a preview. Its name contains the look, so that nothing is stored. */
export function candidateSheet(platen: Platen, blog: Styled): Asset {
  const { id, theme, accent, design } = blog;
  const { footerLinks: _, ...styled } = design;
  const look = Buffer.from(JSON.stringify({ theme, accent, design: styled })).toString("base64url");
  return stylesheet(`look-${id}-${look}`, blogCss(platen, blog));
}

/** The look in the name of a `candidateSheet`; null if it is invalid. */
export function lookInName(platen: Platen, text: string): Look | null {
  try {
    const { theme, accent, design } = JSON.parse(Buffer.from(text, "base64url").toString());
    const isValid = findTheme(platen, String(theme)) && normalizeAccent(String(accent)) === accent;
    const clean = designFrom((name) => (typeof design?.[name] === "string" ? design[name] : undefined));
    return isValid && Object.keys(designErrors(clean)).length === 0 ? { theme, accent, design: clean } : null;
  } catch {
    return null;
  }
}

function blogCss(platen: Platen, blog: Styled): string {
  const theme = themeOf(platen, blog);
  return cssOf(theme, blog.design) + designCss(theme, blog.design) + accentCss(blog.accent) + blog.customCss;
}

function cssOf(theme: Theme, design: Design): string {
  return (fontFaces(fontsOf(theme, design)) + base + theme.css).replace(COMMENT, "");
}
