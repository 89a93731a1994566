import { configureBlog, normalizeAccent } from "../../blogs/blog-settings";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { isThemeName } from "../../themes/themes";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { settingsHead } from "./settings-styles";
import { type Look, themeMain } from "./theme-page";

const FORM = { theme: MAX_LENGTHS.typedLine, accent: MAX_LENGTHS.typedLine };

export const themeRoutes = (platen: Platen) =>
  adminRouter(platen, "theme")
    .get(
      "/admin/blogs/:slug/settings/theme",
      onBlog((visit) => themeAnswer(visit, lookInQuery(visit))),
    )
    .post("/admin/blogs/:slug/settings/theme", onBlog(saveTheme), { parse: "none" });

/** The look in the query, or else the current one. */
function lookInQuery({ call, blog }: BlogVisit): Look {
  const { searchParams } = call.url;
  const asked = searchParams.get("theme") ?? "";
  const accent = searchParams.has("theme") ? (searchParams.get("accent") ?? "") : blog.accent;
  return {
    theme: isThemeName(asked) ? asked : blog.theme,
    accent: accent.trim().slice(0, MAX_LENGTHS.typedLine),
  };
}

async function themeAnswer(visit: BlogVisit, look: Look, faults?: FieldErrors): Promise<HttpResponse> {
  const noColour = normalizeAccent(look.accent) === null && { accent: ["must be a colour like #8a3b12"] };
  return await adminResponse(visit, {
    title: "Theme",
    place: "settings",
    head: settingsHead,
    scripts: ["accent-picking", "post-list"],
    policy: ["frame-src 'self'"],
    main: await themeMain(visit, look, faults ?? (noColour || undefined)),
    status: faults ? ERROR_STATUS.invalid : 200,
  });
}

async function saveTheme(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit, FORM);
  const look = { theme: form.get("theme") ?? blog.theme, accent: form.get("accent")?.trim() ?? "" };
  try {
    configureBlog(call.platen, blog, look);
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return themeAnswer(visit, look, fault.fields);
  }
  return redirectWithToast(call, call.url.pathname, { says: `Theme changed to ${look.theme}.` });
}
