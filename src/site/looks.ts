import { Elysia } from "elysia";
import { type Blog, blogById } from "../blogs/blogs";
import { type Asset, assetRoute, sendAsset, stylesheet } from "../http/assets";
import { sendPage } from "../http/pages";
import type { Platen } from "../platen";
import { accentCss } from "./accent";
import { notFoundPage } from "./not-found";
import shared from "./style.css" with { type: "text" };
import photo from "./themes/photo.css" with { type: "text" };
import sans from "./themes/sans.css" with { type: "text" };
import serif from "./themes/serif.css" with { type: "text" };

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

/** The stylesheets of all blogs. One's former address answers too, for pages that somebody kept: with the present sheet. */
export const looks = (platen: Platen) =>
  new Elysia()
    .use(Object.values(THEME_SHEETS).map(assetRoute))
    .get("/assets/:sheet", ({ params, request }) => {
      const [, name, id] = /^(serif|sans|photo|blog-(\d{1,9}))\.[0-9a-f]+\.css$/.exec(params.sheet) ?? [];
      const blog = id === undefined ? undefined : blogById(platen, Number(id));
      const sheet = blog ? sheetOf(blog) : THEME_SHEETS[name as Blog["theme"]];
      return sheet ? sendAsset(request, sheet) : sendPage(request, notFoundPage(platen), 404);
    });
