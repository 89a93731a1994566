import { Elysia } from "elysia";
import { blogById } from "../../blogs/blogs";
import { calls } from "../../http/requests/call";
import type { Asset } from "../../http/responses/assets";
import type { HttpResponse } from "../../http/responses/response";
import { CACHE_CONTROL, publicPageResponse, sendResponse } from "../../http/responses/response";
import { assetRoute } from "../../http/router";
import type { Platen } from "../../platen";
import { fontFile } from "../../themes/fonts";
import { isThemeName } from "../../themes/theme-list";
import { notFoundPage } from "../layout/error-pages";
import { previewSheet, stylesheetOf, THEME_STYLESHEETS, withLook } from "../styles/stylesheets-and-accent";

/** Old URLs return the current stylesheet, because cached pages still use them. */
export const stylesheets = (platen: Platen) =>
  new Elysia()
    .use(Object.values(THEME_STYLESHEETS).map((sheet) => assetRoute(platen, sheet)))
    .use(calls(platen))
    .get("/assets/fonts/:name", ({ call, params }) => sendResponse(call, fontResponse(platen, params.name)))
    .get("/assets/:sheet", ({ call, params }) => {
      const name = /^([\w-]+)\.[0-9a-f]+\.css$/.exec(params.sheet)?.[1] ?? "";
      const response = stylesheetNamed(platen, name, call.url.searchParams)?.responseFor(call.url.pathname);
      return sendResponse(call, response ?? publicPageResponse(notFoundPage(platen), 404));
    });

function fontResponse(platen: Platen, name: string): HttpResponse {
  const path = fontFile(name);
  if (!path) return publicPageResponse(notFoundPage(platen), 404);
  const headers = new Headers({
    "content-type": "font/woff2",
    "cache-control": CACHE_CONTROL.immutable,
    // The sandboxed previews of a design have an opaque origin.
    "access-control-allow-origin": "*",
  });
  return { status: 200, headers, body: Bun.file(path) };
}

/** @param name a theme, "blog-7" for the blog with id 7, or "look-7" for its preview with the design in `query` */
function stylesheetNamed(platen: Platen, name: string, query: URLSearchParams): Asset | undefined {
  if (isThemeName(name)) return THEME_STYLESHEETS[name];
  const [, kind, id] = /^(blog|look)-(\d{1,9})$/.exec(name) ?? [];
  const blog = id === undefined ? undefined : blogById(platen, Number(id));
  if (!blog) return undefined;
  return kind === "blog" ? stylesheetOf(platen, blog) : previewSheet(platen, withLook(platen, blog, query));
}
