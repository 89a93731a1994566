import { type Configured, configureBlog, leftOutOfCss } from "../../blogs/blog-settings";
import { MAX_BYTES } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { toastThen } from "../layout/toasts-and-undo";
import { type BlogVisit, sentForm } from "../layout/visit";
import {
  changedIn,
  changesOf,
  LONGEST_SHOWN,
  SETTINGS_FORM,
  type SentTexts,
  type ShownSettings,
  settingsOf,
} from "./forms/settings-fields";
import { SECTIONS, type Section, settingsMain } from "./settings-frame";
import { settingsHead } from "./settings-styles";

/** What a blog is, how it looks, and what readers find: a page for each, with one form. */
export const settings = (platen: Platen) =>
  adminDoor(platen, "settings")
    .get("/admin/blogs/:slug/settings", onBlog(pageOf(SECTIONS.general)))
    .post("/admin/blogs/:slug/settings", onBlog(saver(SECTIONS.general)), { parse: "none" })
    .get("/admin/blogs/:slug/settings/look", onBlog(pageOf(SECTIONS.look)))
    .post("/admin/blogs/:slug/settings/look", onBlog(saver(SECTIONS.look)), { parse: "none" })
    .get("/admin/blogs/:slug/settings/reading", onBlog(pageOf(SECTIONS.reading)))
    .post("/admin/blogs/:slug/settings/reading", onBlog(saver(SECTIONS.reading)), { parse: "none" });

function pageOf(section: Section) {
  return (visit: BlogVisit) => sectionAnswer(visit, section, {});
}

function sectionAnswer(
  visit: BlogVisit,
  section: Section,
  shown: Partial<ShownSettings>,
  status = 200,
): Promise<HttpResponse> {
  const { platen } = visit.call;
  const texts = settingsOf(platen, visit.blog);
  const whole = { texts, faults: {}, leftOut: leftOutNow(visit), ...shown };
  const main = settingsMain(visit, section, whole);
  return adminAnswer(visit, { title: "Settings", place: "settings", head: settingsHead, main, status });
}

/** Of the stylesheet: its owner chose to have it without that. */
function leftOutNow({ blog }: BlogVisit): FieldErrors {
  const css = leftOutOfCss(blog);
  return css.length > 0 ? { css } : {};
}

/** Saves what was changed; all else stays as it is now. */
function saver(section: Section) {
  return async (visit: BlogVisit) => {
    const { call, blog } = visit;
    const limits = { ...SETTINGS_FORM, sure: 5, shown: LONGEST_SHOWN };
    const form = await sentForm(visit, limits, MAX_BYTES.settingsForm);
    const sent = changedIn(form);
    const texts = { ...settingsOf(call.platen, blog), ...sent };
    try {
      const { leftOut } = save(visit, sent, form.get("sure") === "yes");
      const says = Object.keys(leftOut).length > 0 ? "Saved, without what is left out." : "Saved.";
      return toastThen(call, call.url.pathname, { says });
    } catch (fault) {
      if (fault instanceof SomethingLeftOut)
        return sectionAnswer(visit, section, { texts, leftOut: fault.leftOut }, ERROR_STATUS.invalid);
      if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
      return sectionAnswer(visit, section, { texts, faults: fault.fields ?? {} }, ERROR_STATUS.invalid);
    }
  };
}

/** @throws SomethingLeftOut, unless its owner wants the rest; Refusal (invalid) */
function save({ call: { platen }, blog }: BlogVisit, sent: SentTexts, isSure: boolean): Configured {
  return inTransaction(platen, () => {
    const configured = configureBlog(platen, blog, changesOf(platen, blog, sent));
    if (!isSure && Object.keys(configured.leftOut).length > 0) throw new SomethingLeftOut(configured.leftOut);
    return configured;
  });
}

class SomethingLeftOut extends Error {
  constructor(readonly leftOut: FieldErrors) {
    super("Something would be left out.");
  }
}
