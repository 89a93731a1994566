import { posix } from "node:path";
import { slugify } from "../../../blogs/slug";
import { isTimeZone } from "../../../blogs/time-zone";
import { isObject } from "../../../text/json";
import { isYes, textField } from "../items/dates-and-fields";
import { fileExtension, parentFolder, readText, type Source } from "../sources/source-files";
import { type FrontMatter, lowercaseKeys, parseJsLiterals } from "./front-matter";

const { join } = posix;

export interface StaticSite {
  maker: "hugo" | "jekyll" | "eleventy" | "cecil" | "none";
  /** Keys are lowercase. */
  settings: FrontMatter;
  zone: string;
  /** Such as "content/"; "" for the root. */
  top: string;
  templates: string[];
}

const SETTINGS = {
  hugo: /^(?:config\/_default\/)?(?:hugo|config)\.(?:toml|ya?ml|json)$/,
  jekyll: /^_config\.ya?ml$/,
  cecil: /^cecil\.ya?ml$/,
};
const ELEVENTY = /^(?:eleventy\.config|\.eleventy)\.[cm]?[jt]s$/;
const NO_TEXTS =
  /(?:^|\/)(?:layouts|_includes|_layouts|_data|_sass|_site|archetypes|themes|vendor|public|resources|static|dist|node_modules)\//;
const NO_POSTS = /^(?:readme|license|changelog|contributing|code_of_conduct|security|todo)\.[a-z]+$/i;

export async function detectStaticSite(source: Source, zone: string): Promise<StaticSite> {
  const maker = detectMaker(source);
  const pattern = maker === "none" || maker === "eleventy" ? null : SETTINGS[maker];
  const found = pattern && source.paths.find((path) => pattern.test(path));
  const settings = found ? parseSettings(found, await readText(source, found, 1_000_000)) : {};
  const zoneSetting = textField(settings, "timezone");
  const { top, templates } =
    maker === "eleventy" ? await eleventyFolders(source) : { top: CONTENT_FOLDERS[maker], templates: [] };
  return {
    maker,
    settings,
    zone: zoneSetting && isTimeZone(zoneSetting) ? zoneSetting : zone,
    top: source.paths.some((path) => path.startsWith(top)) ? top : "",
    templates,
  };
}

const CONTENT_FOLDERS = { hugo: "content/", cecil: "pages/", jekyll: "", none: "" };

/** Reads the configuration file without running it. */
async function eleventyFolders(source: Source): Promise<Pick<StaticSite, "top" | "templates">> {
  const file = source.paths.find((path) => ELEVENTY.test(path));
  const program = file ? await readText(source, file, 1_000_000) : "";
  const [, literal = "{}"] = /^[^/\n]*\bdir["']?\s*:\s*(\{[^{}]*\})/m.exec(program) ?? [];
  const dir = parseJsLiterals(literal).fields;
  const [, inputDirectory = ""] =
    /^[^/\n]*\.setInputDirectory\(\s*["'`]([^"'`]{1,300})["'`]/m.exec(program) ?? [];
  const input = join(inputDirectory || textField(dir, "input"));
  const top = input === "." ? "" : `${input.replace(/\/$/, "")}/`;
  const templates = [
    ...["includes", "layouts", "data"].map((name) => textField(dir, name) && join(top, textField(dir, name))),
    textField(dir, "output") && join(textField(dir, "output")),
  ].filter((folder) => folder !== "" && !`${top}/`.startsWith(`${folder}/`));
  return { top, templates };
}

export function listContentFiles(source: Source, { top, templates }: StaticSite): string[] {
  return source.paths.filter(
    (path) =>
      /^(?:md|markdown|mdown|mkdn?|mdx|html?)$/.test(fileExtension(path)) &&
      path.startsWith(top) &&
      !NO_TEXTS.test(path) &&
      !templates.some((folder) => path.startsWith(`${folder}/`)) &&
      !(parentFolder(path) === "" && NO_POSTS.test(path)),
  );
}

function detectMaker({ paths }: Source): StaticSite["maker"] {
  const hasPath = (pattern: RegExp) => paths.some((path) => pattern.test(path));
  if (hasPath(SETTINGS.jekyll) || hasPath(/(?:^|\/)_posts\//)) return "jekyll";
  if (hasPath(SETTINGS.hugo) && hasPath(/^content\//)) return "hugo";
  if (hasPath(SETTINGS.cecil)) return "cecil";
  return hasPath(ELEVENTY) || hasPath(/\.11tydata\.(?:json|[cm]?js)$/) ? "eleventy" : "none";
}

function parseSettings(path: string, text: string): FrontMatter {
  try {
    // JSON is valid YAML.
    const read = path.endsWith("toml") ? Bun.TOML.parse(text) : Bun.YAML.parse(text);
    return isObject(read) ? lowercaseKeys(read) : {};
  } catch {
    return {};
  }
}

/** Location of a content file. */
export interface Place {
  path: string;
  /** Path below the content folder, without extension. */
  below: string;
  name: string;
  isBundle: boolean;
  /** Taken from names such as "tea.fr.md" in Hugo; "" for the site's default language. */
  language: string;
}

export function placeOf(path: string, { top, maker, settings }: StaticSite): Place {
  const whole = path.slice(top.length).replace(/\.[a-z]+$/i, "");
  const [ending = "", named = ""] = (maker === "hugo" && /\.([a-z]{2}(?:-[a-z]{2,4})?)$/i.exec(whole)) || [];
  const bare = whole.slice(0, whole.length - ending.length);
  const own = textField(settings, "defaultcontentlanguage") || "en";
  const language = named.toLowerCase() === own.toLowerCase() ? "" : named.toLowerCase();
  const isBundle = /(?:^|\/)index$/.test(bare) && bare !== "index";
  const inFolder = isBundle ? parentFolder(bare) : bare;
  // By default, Hugo's URLs omit the default language.
  const below =
    maker === "hugo" && !isYes(settings.defaultcontentlanguageinsubdir) && inFolder.startsWith(`${own}/`)
      ? inFolder.slice(own.length + 1)
      : inFolder;
  return { path, below, name: posix.basename(below), isBundle, language };
}

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
