import { posix } from "node:path";
import { isTimeZone } from "../../../blogs/time-zone";
import { endingOf, folderOf, type Source, textIn } from "../sources/source";
import { type FrontMatter, isObject, smallNames, textNamed } from "./front-matter";
import { objectNamed, withoutComments } from "./js-literals";

const { join } = posix;

/** A folder that a site is made of, and the program that makes it. */
export interface SiteFolder {
  maker: "hugo" | "jekyll" | "eleventy" | "cecil" | "none";
  /** Its settings by their names in small letters; empty if there are none. */
  settings: FrontMatter;
  /** Where the site is, as far as the settings say; "" where they do not. */
  address: string;
  zone: string;
  /** The folder that all texts are below: "content/", "". */
  top: string;
  /** Folders in it that hold templates and the like, by the settings. */
  templates: string[];
}

const SETTINGS = ["hugo", "config"].flatMap((name) =>
  ["toml", "yaml", "yml", "json"].map((end) => `${name}.${end}`),
);
const CECIL = ["cecil.yml", "cecil.yaml"];
const ELEVENTY = /^(?:eleventy\.config|\.eleventy)\.[cm]?[jt]s$/;
/** Hold templates, or what was made of the texts. */
const NO_TEXTS =
  /(?:^|\/)(?:layouts|_includes|_layouts|_data|_sass|_site|archetypes|themes|vendor|public|resources|static|dist|node_modules)\//;
/** For whoever reads the folder, not the site. */
const NO_POSTS = /^(?:readme|license|changelog|contributing|code_of_conduct|security|todo)\.[a-z]+$/i;

export async function siteFolder(source: Source, zone: string): Promise<SiteFolder> {
  const maker = makerOf(source);
  const named = {
    hugo: SETTINGS,
    jekyll: ["_config.yml", "_config.yaml"],
    cecil: CECIL,
    eleventy: [],
    none: [],
  };
  const found =
    named[maker].find((path) => source.has(path)) ?? (maker === "hugo" ? hugoFolder(source) : undefined);
  const settings = found ? settingsIn(found, await textIn(source, found, 1_000_000)) : {};
  const own = textNamed(settings, "timezone");
  const address = textNamed(settings, "baseurl", "url");
  return {
    maker,
    settings,
    address: /^https?:\/\//.test(address) ? address : textNamed(settings, "url"),
    zone: own && isTimeZone(own) ? own : zone,
    ...(maker === "eleventy" ? await eleventyFolders(source) : { top: topOf(source, maker), templates: [] }),
  };
}

function topOf({ paths }: Source, maker: SiteFolder["maker"]): string {
  const top = { hugo: "content/", cecil: "pages/", jekyll: "", eleventy: "", none: "" }[maker];
  return paths.some((path) => path.startsWith(top)) ? top : "";
}

/** By its settings, a program, which is read and not run. */
async function eleventyFolders(source: Source): Promise<Pick<SiteFolder, "top" | "templates">> {
  const file = source.paths.find((path) => ELEVENTY.test(path));
  const program = file ? await textIn(source, file, 1_000_000) : "";
  const dir = objectNamed(program, "dir") ?? {};
  const [, called = ""] =
    /\.setInputDirectory\(\s*["'`]([^"'`]{1,300})["'`]/.exec(withoutComments(program)) ?? [];
  const input = join(called || textNamed(dir, "input"));
  const top = input === "." ? "" : `${input.replace(/\/$/, "")}/`;
  const templates = [
    ...["includes", "layouts", "data"].map((name) => textNamed(dir, name) && join(top, textNamed(dir, name))),
    textNamed(dir, "output") && join(textNamed(dir, "output")),
  ].filter((folder) => folder !== "" && !`${top}/`.startsWith(`${folder}/`));
  return { top: source.paths.some((path) => path.startsWith(top)) ? top : "", templates };
}

/** The texts in it, in order. */
export function textsOf(source: Source, { top, templates }: SiteFolder): string[] {
  return source.paths.filter(
    (path) =>
      /^(?:md|markdown|mdown|mkdn?|mdx|html?)$/.test(endingOf(path)) &&
      path.startsWith(top) &&
      !NO_TEXTS.test(path) &&
      !templates.some((folder) => path.startsWith(`${folder}/`)) &&
      !(folderOf(path) === "" && NO_POSTS.test(path)),
  );
}

function makerOf({ has, paths }: Source): SiteFolder["maker"] {
  if (has("_config.yml") || has("_config.yaml") || paths.some((path) => /(?:^|\/)_posts\//.test(path)))
    return "jekyll";
  const isHugo = SETTINGS.some((path) => has(path)) || paths.some((path) => /^config\/_default\//.test(path));
  if (isHugo && paths.some((path) => path.startsWith("content/"))) return "hugo";
  if (CECIL.some((path) => has(path))) return "cecil";
  return paths.some((path) => ELEVENTY.test(path) || /\.11tydata\.(?:json|[cm]?js)$/.test(path))
    ? "eleventy"
    : "none";
}

function hugoFolder({ paths }: Source): string | undefined {
  return paths.find((path) => /^config\/_default\/(?:hugo|config)\.(?:toml|ya?ml|json)$/.test(path));
}

/** What cannot be read says nothing: the texts can be read without it. */
function settingsIn(path: string, text: string): FrontMatter {
  try {
    const read = path.endsWith("toml")
      ? Bun.TOML.parse(text)
      : path.endsWith("json")
        ? JSON.parse(text)
        : Bun.YAML.parse(text);
    return isObject(read) ? smallNames(read) : {};
  } catch {
    return {};
  }
}
