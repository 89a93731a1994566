import { normalizeAccent } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { type Asset, stylesheet } from "../../http/responses/assets";
import { designCss, designErrors, designFrom, fontsOf } from "../../themes/design";
import { fontFaces } from "../../themes/fonts";
import { isThemeName, THEME_NAMES, type ThemeName, themeNamed } from "../../themes/themes";
import { accentCss } from "./accent";
import base from "./base.css" with { type: "text" };

const COMMENT = /\/\*.*?\*\/\s*/gs;

export const THEME_STYLESHEETS = Object.fromEntries(
  THEME_NAMES.map((theme) => [theme, stylesheet(theme, cssOf({ theme, design: {} }))]),
) as Record<ThemeName, Asset>;

/** The appearance of a blog, before its own CSS. */
export type Look = Pick<Blog, "theme" | "accent" | "design">;
type Styled = Look & Pick<Blog, "id" | "customCss">;

/** The theme's stylesheet, or the blog's own if its design, accent or CSS differ. */
export function stylesheetOf(blog: Styled): Asset {
  const { id, theme, accent, customCss } = blog;
  const isOwn = accent || customCss || designCss(blog) || fontsOf(blog) !== themeNamed(theme).fonts;
  return isOwn ? stylesheet(`blog-${id}`, wholeCss(blog)) : THEME_STYLESHEETS[theme];
}

/** Stylesheet of a preview. Its name contains the look, so that nothing is stored. */
export function candidateSheet(blog: Styled): Asset {
  const { id, theme, accent, design } = blog;
  const look = Buffer.from(JSON.stringify({ theme, accent, design })).toString("base64url");
  return stylesheet(`look-${id}-${look}`, wholeCss(blog));
}

/** The look in the name of a `candidateSheet`; null if it is invalid. */
export function lookInName(text: string): Look | null {
  try {
    const { theme, accent, design } = JSON.parse(Buffer.from(text, "base64url").toString());
    const isValid = isThemeName(String(theme)) && normalizeAccent(String(accent)) === accent;
    const clean = designFrom((name) => (typeof design?.[name] === "string" ? design[name] : undefined));
    return isValid && Object.keys(designErrors(clean)).length === 0 ? { theme, accent, design: clean } : null;
  } catch {
    return null;
  }
}

function wholeCss(blog: Styled): string {
  return cssOf(blog) + designCss(blog) + accentCss(blog.accent) + blog.customCss;
}

function cssOf(look: Pick<Look, "theme" | "design">): string {
  return (fontFaces(fontsOf(look)) + base + themeNamed(look.theme).css).replace(COMMENT, "");
}
