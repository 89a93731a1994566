import { type Configured, configureBlog, cssWarnings } from "../../blogs/blog-settings";
import { MAX_BYTES } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, fieldErrorsOf } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { html } from "../../text/html";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { settingsHead } from "../layout/admin-styles";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import {
  changedFields,
  type SentTexts,
  type ShownSettings,
  settingsTexts,
  toBlogChanges,
} from "./forms/settings-changes";
import { generalSection, lookSection, readingSection } from "./forms/settings-form";
import { settingsTop } from "./settings-tabs";

export const settingsRoutes = (platen: Platen) =>
  adminRouter(platen, "settings")
    .get("/admin/blogs/:slug/settings", onBlog(showSection("")))
    .post("/admin/blogs/:slug/settings", onBlog(saveSection("")))
    .get("/admin/blogs/:slug/settings/look", onBlog(showSection("/look")))
    .post("/admin/blogs/:slug/settings/look", onBlog(saveSection("/look")))
    .get("/admin/blogs/:slug/settings/reading", onBlog(showSection("/reading")))
    .post("/admin/blogs/:slug/settings/reading", onBlog(saveSection("/reading")));

const SECTIONS = { "": generalSection, "/look": lookSection, "/reading": readingSection };
type Section = keyof typeof SECTIONS;

function showSection(section: Section) {
  return (visit: BlogVisit) => sectionResponse(visit, section, {});
}

function sectionResponse(
  visit: BlogVisit,
  section: Section,
  shown: Partial<ShownSettings>,
  status = 200,
): Promise<HttpResponse> {
  const { platen } = visit.call;
  const values = settingsTexts(platen, visit.blog);
  const settings = { values, errors: {}, leftOut: storedCssWarnings(visit), ...shown };
  const main = html`${settingsTop(visit, section)}
${SECTIONS[section](visit, settings)}`;
  return adminResponse(visit, { title: "Settings", place: "settings", head: settingsHead, main, status });
}

function storedCssWarnings({ blog }: BlogVisit): FieldErrors {
  const css = cssWarnings(blog);
  return css.length > 0 ? { css } : {};
}

function saveSection(section: Section) {
  return async (visit: BlogVisit) => {
    const { call, blog } = visit;
    const form = await readAdminForm(visit, MAX_BYTES.settingsForm);
    const stored = settingsTexts(call.platen, blog);
    const sent = changedFields(form, stored);
    const values = { ...stored, ...sent };
    try {
      const { leftOut } = saveSettings(visit, sent, form.get("sure") === "yes");
      const message = Object.keys(leftOut).length > 0 ? "Saved without the removed parts." : "Saved.";
      return redirectWithToast(call, call.url.pathname, message);
    } catch (error) {
      if (error instanceof PartsRemoved)
        return sectionResponse(visit, section, { values, leftOut: error.leftOut }, ERROR_STATUS.invalid);
      return sectionResponse(visit, section, { values, errors: fieldErrorsOf(error) }, ERROR_STATUS.invalid);
    }
  };
}

function saveSettings({ call: { platen }, blog }: BlogVisit, sent: SentTexts, isSure: boolean): Configured {
  return inTransaction(platen, () => {
    const configured = configureBlog(platen, blog, toBlogChanges(platen, blog, sent));
    if (!isSure && Object.keys(configured.leftOut).length > 0) throw new PartsRemoved(configured.leftOut);
    return configured;
  });
}

class PartsRemoved extends Error {
  constructor(readonly leftOut: FieldErrors) {
    super("Some parts would be removed.");
  }
}
