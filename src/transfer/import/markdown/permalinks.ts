import { posix } from "node:path";
import { slugify } from "../../../blogs/slug";
import { isObject } from "../../../text/json";
import { textField } from "../items/dates-and-fields";
import { parentFolder } from "../sources/source-files";
import type { FrontMatter } from "./front-matter";
import type { StaticSite } from "./static-site";

interface AddressParts {
  /** Path below the content folder, such as "posts/tea". The last segment is the slug. */
  path: string;
  title: string;
  slug: string;
  at: Date | null;
  categories: string[];
  isPost: boolean;
}

const JEKYLL_STYLES: Record<string, string> = {
  date: "/:categories/:year/:month/:day/:title.html",
  pretty: "/:categories/:year/:month/:day/:title/",
  ordinal: "/:categories/:year/:y_day/:title.html",
  weekdate: "/:categories/:year/W:week/:short_day/:title.html",
  none: "/:categories/:title.html",
};

export function originalPermalink({ maker, settings, zone }: StaticSite, parts: AddressParts): string {
  const { path, isPost } = parts;
  const [section = ""] = path.split("/");
  if (maker === "jekyll" && isPost) {
    const style = textField(settings, "permalink") || "date";
    return filled(JEKYLL_STYLES[style] ?? style, parts, section, zone);
  }
  const pattern = maker === "hugo" || maker === "cecil" ? sectionPattern(settings, section) : "";
  if (pattern !== "") return filled(pattern, parts, section, zone);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  // Eleventy publishes "tea/tea.md" at "/tea/".
  if (maker === "eleventy" && `/${folder}`.endsWith(`/${parts.slug}/`)) return `/${folder.toLowerCase()}`;
  return `/${(folder + parts.slug).toLowerCase()}/`;
}

function sectionPattern({ permalinks, pages }: FrontMatter, section: string): string {
  const paths = isObject(pages) && Array.isArray(pages.paths) ? pages.paths.filter(isObject) : [];
  const path = paths.find((one) => one.section === section);
  if (path) return textField(path, "path");
  if (!isObject(permalinks)) return "";
  return textField(isObject(permalinks.page) ? permalinks.page : permalinks, section);
}

/** Fills the usual Eleventy templates; null if another template remains. */
export function fillPermalinkTemplate(address: string, { title, slug }: { title: string; slug: string }) {
  const filled = address.replace(
    /\{\{-?\s{0,9}(page\.fileSlug|title)\s{0,9}(?:\|\s{0,9}slug(?:ify)?\s{0,9})?-?\}\}/g,
    (_, name: string) => (name === "title" ? slugify(title) : slug),
  );
  return /[{}]/.test(filled) ? null : filled;
}

function filled(pattern: string, parts: AddressParts, section: string, zone: string): string {
  const { at, title, slug, categories, path } = parts;
  const time = at && Temporal.Instant.from(at.toISOString()).toZonedDateTimeISO(zone);
  const { year = "", month = "", day = "", dayOfYear = "" } = time ?? {};
  const padded = (number: number | string = 0, length = 2) => String(number).padStart(length, "0");
  const [name, filename] = [slug || slugify(title), posix.basename(path)];
  const values: Record<string, string | number> = {
    ...{ year, short_year: String(year).slice(-2), month: padded(month), i_month: month },
    ...{ day: padded(day), i_day: day, y_day: padded(dayOfYear, 3), yearday: dayOfYear },
    ...{ hour: padded(time?.hour), minute: padded(time?.minute), second: padded(time?.second) },
    ...{ title: name, slug: name, slugorfilename: slug, slugorcontentbasename: slug },
    ...{ filename, contentbasename: filename, section, sections: parentFolder(path) },
    categories: categories.map((category) => slugify(category)).join("/"),
  };
  const address = pattern.replace(/:([a-z_]{1,40})/g, (whole, key: string) => String(values[key] ?? whole));
  return `/${address}`.replace(/\/{2,}/g, "/");
}
