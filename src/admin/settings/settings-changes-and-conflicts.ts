import type { BlogChanges } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { assertNoFieldErrors, type FieldErrors } from "../../errors";
import type { Platen } from "../../platen";
import type { HomeChoice } from "../../posts/reading/navigation-and-home";
import { chosenPage, homeCategory, parseHome } from "../../posts/reading/navigation-and-home";
import { topicNamed } from "../../posts/storage/categories-and-tags";
import { hashSecret } from "../../secrets";
import { DESIGN_SWITCHES } from "../../themes/design-choices";
import type { AdminForm } from "../layout/visit";

export type SettingsField = keyof ReturnType<typeof settingsTexts>;
type Texts = Record<SettingsField, string>;
type SentTexts = Partial<Texts>;

export interface ShownSettings {
  values: Texts;
  errors: FieldErrors;
  /** Field → sentences that name what the sanitizer removed. */
  leftOut: FieldErrors;
}

export function settingsTexts(platen: Platen, blog: Blog) {
  const { title, description, language, timeZone, profiles, postsAPage, feedContent } = blog;
  const page = chosenPage(platen, blog);
  const category = homeCategory(platen, blog);
  return {
    ...{ title, description, language },
    time_zone: timeZone,
    profiles: profiles.join("\n"),
    header: blog.headerHtml,
    footer: blog.footerHtml,
    css: blog.cssSource ?? blog.customCss,
    home: page ? "page" : category ? "category" : "posts",
    home_page: page ? `/${page.slug}` : "",
    home_category: category?.name ?? "",
    posts_a_page: String(postsAPage),
    feed_content: feedContent,
    ...designSwitches((name) => (blog.design[name] ? "on" : "off")),
    komments_open: blog.kommentsOpen ? "on" : "off",
    komments_moderated: blog.kommentsModerated ? "on" : "off",
  };
}

type DesignSwitch = (typeof DESIGN_SWITCHES)[number];

function designSwitches<Value>(valueFor: (name: DesignSwitch) => Value) {
  const entries = DESIGN_SWITCHES.map((name) => [name, valueFor(name)]);
  return Object.fromEntries(entries) as Record<DesignSwitch, Value>;
}

export function hashShownFields(texts: Texts): string {
  return Object.entries(texts).map(hashField).join(" ");
}

/** Normalizes line breaks first, because browsers send CRLF. */
const hashField = ([name, text]: [string, string]) => hashSecret(`${name} ${text.replace(/\r\n?/g, "\n")}`);

/** Fields that together form one choice. If one of them changed, all of them are saved. */
const HOME_FIELDS: SettingsField[] = ["home", "home_page", "home_category"];

/** Returns only fields that the user changed, because another window may have changed the others. */
export function changedFields(form: AdminForm, stored: Texts): SentTexts {
  const shown = new Set(form.text("shown").split(" "));
  const names = Object.keys(stored) as SettingsField[];
  const sent = new Map(names.flatMap((name) => form.getAll(name).map((text) => [name, text] as const)));
  const isChanged = (name: SettingsField) =>
    sent.has(name) && !shown.has(hashField([name, sent.get(name) as string]));
  const isHomeChanged = HOME_FIELDS.some(isChanged);
  const isIncluded = (name: SettingsField) => (HOME_FIELDS.includes(name) ? isHomeChanged : isChanged(name));
  return Object.fromEntries([...sent].filter(([name]) => isIncluded(name)));
}

/** Texts of settings have no revisions. The form is shown again, and then replaces the other version. */
export function assertNoConflict(form: AdminForm, stored: Texts, sent: SentTexts): void {
  const known = new Set(form.text("shown").split(" "));
  if (known.has("")) return;
  for (const entry of Object.entries(sent)) known.add(hashField(entry));
  const isConflict = (name: SettingsField) => !known.has(hashField([name, stored[name]]));
  const names = (Object.keys(sent) as SettingsField[]).filter(isConflict);
  const shownAt = names.map((name) => (HOME_FIELDS.includes(name) ? "home" : name));
  const error = "was changed in another tab; save again to replace that version";
  assertNoFieldErrors(Object.fromEntries(shownAt.map((name) => [name, [error]])));
}

export function toBlogChanges(platen: Platen, blog: Blog, texts: SentTexts): BlogChanges {
  const { title, description, language, header, footer, css } = texts;
  const isOn = (text: string | undefined) => (text === undefined ? undefined : text === "on");
  return {
    ...{ title, description, language: language?.trim(), header, footer, css },
    timeZone: texts.time_zone?.trim(),
    profiles: texts.profiles
      ?.split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
    home: parseHomeChoice(platen, blog, texts),
    postsAPage: texts.posts_a_page === undefined ? undefined : Number(texts.posts_a_page),
    feedContent: texts.feed_content,
    design: designSwitches((name) => isOn(texts[name])),
    kommentsOpen: isOn(texts.komments_open),
    kommentsModerated: isOn(texts.komments_moderated),
  };
}

/** `parseHome` rejects this address, so that the form shows an error. */
const NO_SUCH_PLACE = "/";

function parseHomeChoice(platen: Platen, blog: Blog, texts: SentTexts): HomeChoice | undefined {
  const { home, home_page = "", home_category = "" } = texts;
  if (home === undefined) return undefined;
  if (home === "page") return parseHome(platen, blog, home_page.trim() || NO_SUCH_PLACE);
  if (home !== "category") return parseHome(platen, blog, "");
  const name = home_category.trim().slice(0, MAX_LENGTHS.requestedSlug);
  const category = topicNamed(platen, "category", blog.id, name);
  return parseHome(platen, blog, category ? `/category/${category.slug}` : NO_SUCH_PLACE);
}
