import { configureBlog, cssWarnings } from "../../blogs/blog-settings";
import { MAX_BYTES } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, Refusal } from "../../errors";
import { html } from "../../text/html";
import { type AdminPage, blogRoutes, withForm } from "../layout/admin-routes";
import { settingsHead } from "../layout/admin-styles";
import type { AdminForm, BlogVisit } from "../layout/visit";
import { assertNoConflict, changedFields, settingsTexts, toBlogChanges } from "./forms/settings-changes";
import { generalSection, lookSection, readingSection } from "./forms/settings-form";
import { settingsTop } from "./settings-tabs";

const SECTIONS = {
  "/settings": generalSection,
  "/settings/look": lookSection,
  "/settings/reading": readingSection,
};
type Section = keyof typeof SECTIONS;

export const settingsRoutes = blogRoutes({
  "GET /settings": sectionPage("/settings"),
  "POST /settings": withForm(saveSettings, sectionPage("/settings"), MAX_BYTES.settingsForm),
  "GET /settings/look": sectionPage("/settings/look"),
  "POST /settings/look": withForm(saveSettings, sectionPage("/settings/look"), MAX_BYTES.settingsForm),
  "GET /settings/reading": sectionPage("/settings/reading"),
  "POST /settings/reading": withForm(saveSettings, sectionPage("/settings/reading"), MAX_BYTES.settingsForm),
});

function sectionPage(section: Section) {
  return (visit: BlogVisit): AdminPage => {
    const { platen, blog, rejected } = visit;
    const stored = settingsTexts(platen, blog);
    const values = rejected ? { ...stored, ...changedFields(rejected.sent, stored) } : stored;
    const shown =
      rejected?.error instanceof PartsRemoved
        ? { values, errors: {}, leftOut: rejected.errors }
        : { values, errors: rejected?.errors ?? {}, leftOut: storedCssWarnings(visit) };
    const main = html`${settingsTop(visit, section)}
${SECTIONS[section](visit, shown)}`;
    return { title: "Settings", place: "settings", head: settingsHead, main };
  };
}

function storedCssWarnings({ blog }: BlogVisit): FieldErrors {
  const css = cssWarnings(blog);
  return css.length > 0 ? { css } : {};
}

function saveSettings({ call, blog }: BlogVisit, form: AdminForm) {
  const { platen, url } = call;
  const stored = settingsTexts(platen, blog);
  const sent = changedFields(form, stored);
  assertNoConflict(form, stored, sent);
  const isAnyRemoved = inTransaction(platen, () => {
    const { leftOut } = configureBlog(platen, blog, toBlogChanges(platen, blog, sent));
    if (Object.keys(leftOut).length === 0) return false;
    if (form.get("sure") !== "yes") throw new PartsRemoved(leftOut);
    return true;
  });
  return { location: url.pathname, toast: isAnyRemoved ? "Saved without the removed parts." : "Saved." };
}

/** The form is shown again, so that the owner can confirm the removal. */
class PartsRemoved extends Refusal {
  constructor(leftOut: FieldErrors) {
    super("invalid", "Some parts would be removed.", leftOut);
  }
}
