import type { Blog } from "../../blogs/blogs";
import { type Asset, stylesheet } from "../../http/answers/assets";
import { accentCss } from "./accent";
import photo from "./photo/photo.css" with { type: "text" };
import sans from "./sans/sans.css" with { type: "text" };
import serif from "./serif/serif.css" with { type: "text" };
import shared from "./style.css" with { type: "text" };

const CSS: Record<Blog["theme"], string> = {
  serif: shared + serif,
  sans: shared + sans,
  photo: shared + photo,
};

export const THEME_SHEETS: Record<Blog["theme"], Asset> = {
  serif: stylesheet("serif", CSS.serif),
  sans: stylesheet("sans", CSS.sans),
  photo: stylesheet("photo", CSS.photo),
};

type Look = Pick<Blog, "id" | "theme" | "accent" | "customCss">;

/** The one stylesheet of a blog's pages: its theme's, or one of its own where the owner has put something to it. */
export function sheetOf({ id, theme, accent, customCss }: Look): Asset {
  if (!accent && !customCss) return THEME_SHEETS[theme];
  return stylesheet(`blog-${id}`, CSS[theme] + accentCss(accent) + customCss);
}
