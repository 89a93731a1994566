import { Elysia } from "elysia";
import { type Blog, blogById } from "../../blogs/blogs";
import { assetRoute, sendAsset } from "../../http/answers/assets";
import { sendPage } from "../../http/answers/html-answers";
import type { Platen } from "../../platen";
import { notFoundPage } from "../layout/error-pages";
import { sheetOf, THEME_SHEETS } from "../themes/stylesheets";

/** The stylesheets of all blogs. One's former address answers too, for pages that somebody kept: with the present sheet. */
export const sheets = (platen: Platen) =>
  new Elysia()
    .use(Object.values(THEME_SHEETS).map(assetRoute))
    .get("/assets/:sheet", ({ params, request }) => {
      const [, name, id] = /^(serif|sans|photo|blog-(\d{1,9}))\.[0-9a-f]+\.css$/.exec(params.sheet) ?? [];
      const blog = id === undefined ? undefined : blogById(platen, Number(id));
      const sheet = blog ? sheetOf(blog) : THEME_SHEETS[name as Blog["theme"]];
      return sheet ? sendAsset(request, sheet) : sendPage(request, notFoundPage(platen), 404);
    });
