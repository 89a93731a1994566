import { posix } from "node:path";
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

/** Of a content file. */
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
