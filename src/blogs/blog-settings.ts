import { eq } from "drizzle-orm";
import { blogs } from "../database/schema";
import { assertNoFieldErrors, type FieldErrors } from "../errors";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import { normalizeAccent } from "./appearance/accent-check";
import type { CleanCss } from "./appearance/custom-css";
import type { CleanHtml } from "./appearance/header-footer-html";
import { type Blog, recordSettingsChange, updateBlog } from "./blogs";
import { type BlogChanges, fieldErrors } from "./settings-check";

// The sanitizers are loaded on demand, for a fast start.
const cleanCss = (text: string): CleanCss =>
  (require("./appearance/custom-css") as typeof import("./appearance/custom-css")).cleanCss(text);
const cleanOwnerHtml = (platen: Platen, place: "header" | "footer", source: string): CleanHtml =>
  (
    require("./appearance/header-footer-html") as typeof import("./appearance/header-footer-html")
  ).cleanOwnerHtml(platen, place, source);

interface Configured {
  blog: Blog;
  /** Field → sentences about removed HTML or CSS */
  leftOut: FieldErrors;
}

/** @throws Refusal (invalid) with all field errors; then nothing is changed */
export function configureBlog(platen: Platen, { id }: Pick<Blog, "id">, changes: BlogChanges): Configured {
  assertNoFieldErrors(fieldErrors(platen, changes));
  const { header, footer, css, language, title, description, accent, design, home, ...plain } = changes;
  const clean = css === undefined ? undefined : cleanCss(css);
  const cleanHeader = header === undefined ? undefined : cleanOwnerHtml(platen, "header", cleanText(header));
  const cleanFooter = footer === undefined ? undefined : cleanOwnerHtml(platen, "footer", cleanText(footer));
  const values = {
    ...plain,
    ...home,
    title: title?.trim(),
    description: description?.trim(),
    language: language && Intl.getCanonicalLocales(language)[0],
    feedContent: plain.feedContent as Blog["feedContent"] | undefined,
    accent: accent === undefined ? undefined : (normalizeAccent(accent) ?? undefined),
    headerHtml: cleanHeader?.html,
    footerHtml: cleanFooter?.html,
    customCss: clean?.css,
    cssSource: css,
  };
  const previous = platen.db.select().from(blogs).where(eq(blogs.id, id)).get();
  const chosen = Object.entries(design ?? {}).filter(([, choice]) => choice !== undefined);
  const designed = chosen.length > 0 && { design: { ...previous?.design, ...Object.fromEntries(chosen) } };
  const blog = updateBlog(platen, id, { ...values, ...designed });
  const changed = previous ? changedNames(previous, blog) : [];
  if (changed.length > 0) recordSettingsChange(platen, blog, changed.join(", "));
  const removed: FieldErrors = {};
  for (const [field, cleaned] of Object.entries({ header: cleanHeader, footer: cleanFooter, css: clean }))
    if (cleaned && cleaned.warnings.length > 0) removed[field] = cleaned.warnings;
  return { blog, leftOut: removed };
}

function changedNames(previous: Blog, current: Blog): string[] {
  return Object.entries(current)
    .filter(([name, value]) => name !== "updatedAt" && !Bun.deepEquals(value, previous[name as keyof Blog]))
    .map(([name]) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

export function cssWarnings({ cssSource }: Blog): string[] {
  return cssSource ? cleanCss(cssSource).warnings : [];
}
