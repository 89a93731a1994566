import { isObject, parseJsonObject } from "../../../text/json";
import { isNo } from "../items/dates-and-fields";
import type { ItemError } from "../items/imported-item";
import { parentFolder, readText, type Source } from "../sources/source-files";
import { type FrontMatter, lowercaseKeys, parseFrontMatter, parseJsLiterals } from "./front-matter";
import type { Place, StaticSite } from "./static-sites-and-permalinks";

const MAX_DATA_BYTES = 1_000_000;
const DATA_ENDINGS = [".json", ".11tydata.json", ".11tydata.mjs", ".11tydata.cjs", ".11tydata.js"];
const INDEX = /(?:^|\/)_index(?:\.([a-z]{2}(?:-[a-z]{2,4})?))?\.[a-z]+$/i;

type FindInherited = (place: Place) => FrontMatter | Promise<FrontMatter>;

export async function loadInheritedFrontMatter(
  source: Source,
  site: StaticSite,
  texts: string[],
  errors: ItemError[],
): Promise<FindInherited> {
  if (site.maker === "hugo") return await hugoCascades(source, site, texts);
  if (site.maker === "eleventy") return eleventyData(source, site, errors);
  return () => ({});
}

async function hugoCascades(source: Source, site: StaticSite, texts: string[]): Promise<FindInherited> {
  /** The keys have the form "FOLDER LANGUAGE". */
  const cascades = new Map<string, FrontMatter[]>();
  for (const path of texts) {
    const [, language = ""] = INDEX.exec(path) ?? [];
    if (!INDEX.test(path)) continue;
    const text = await readText(source, path);
    const { matter, error } = parseFrontMatter(text);
    const found = cascadesIn(matter?.cascade);
    // The invalid cascade may contain `draft: true`.
    if (error && /\bcascade\b/i.test(text)) found.push({ draft: true });
    if (found.length > 0) cascades.set(`${parentFolder(path)} ${language.toLowerCase()}`, found);
  }
  const ofSite = cascadesIn(site.settings.cascade);
  return ({ path, below, language }) => {
    const inherited = parentFolders(path).flatMap((folder) => cascades.get(`${folder} ${language}`) ?? []);
    const applicable = [...ofSite, ...inherited].filter((cascade) => appliesTo(cascade, below));
    return Object.assign({}, ...applicable) as FrontMatter;
  };
}

function cascadesIn(value: unknown): FrontMatter[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject).map(lowercaseKeys);
}

function appliesTo(cascade: FrontMatter, below: string): boolean {
  const target = cascade._target ?? cascade.target;
  if (!isObject(target)) return true;
  const globs = lowercaseKeys(target);
  const values = { path: `/${below.toLowerCase()}`, kind: "page", environment: "production" };
  return Object.entries(values).every(([name, value]) => {
    const glob = globs[name];
    return typeof glob !== "string" || new Bun.Glob(glob.toLowerCase()).match(value);
  });
}

function eleventyData(source: Source, { top }: StaticSite, errors: ItemError[]): FindInherited {
  const cache = new Map<string, Promise<FrontMatter>>();
  return async ({ path }) => {
    const folders = parentFolders(path).filter((folder) => `${folder}/`.startsWith(top) && folder !== "");
    const stems = folders.map((folder) => `${folder}/${folder.slice(folder.lastIndexOf("/") + 1)}`);
    const own = path.replace(/\.[a-z]+$/i, "");
    let matter: FrontMatter = {};
    for (const stem of new Set([...stems, own])) {
      const data = cache.getOrInsertComputed(stem, () => dataFiles(source, stem, errors));
      matter = mergeFrontMatter(matter, await data);
    }
    return matter;
  };
}

/** The file's own fields take precedence. With `joinsTags`, tags are merged. */
export function mergeFrontMatter(inherited: FrontMatter, own: FrontMatter, joinsTags = true): FrontMatter {
  const tags = [inherited.tags, own.tags].flat().filter((tag) => tag !== undefined && tag !== null);
  return { ...inherited, ...own, ...(joinsTags && tags.length > 0 && { tags }) };
}

async function dataFiles(source: Source, stem: string, errors: ItemError[]): Promise<FrontMatter> {
  let matter: FrontMatter = {};
  for (const path of DATA_ENDINGS.map((ending) => stem + ending).filter(source.has)) {
    const text = await readText(source, path, MAX_DATA_BYTES);
    const { fields, unread } = path.endsWith("json") ? parseJsonData(text) : parseJsLiterals(text);
    if (unread.length > 0) {
      const reason = `sets computed values (${unread.slice(0, 9).join(", ")}), which are ignored.`;
      errors.push({ name: path, reason });
    }
    const isDraft =
      unread.includes("draft") || (unread.length > 0 && /\bdraft["']?\s{0,9}:\s{0,9}true\b/.test(text));
    matter = mergeFrontMatter(matter, lowercaseKeys({ ...fields, ...(isDraft && { draft: true }) }));
  }
  return matter;
}

/** A part of an invalid file could lack the field that marks drafts. */
function parseJsonData(text: string) {
  const fields = parseJsonObject(text);
  return { fields: fields ?? {}, unread: fields ? [] : ["all of it"] };
}

export function parentFolders(path: string): string[] {
  const names = parentFolder(path).split("/").filter(Boolean);
  return ["", ...names.map((_, at) => names.slice(0, at + 1).join("/"))];
}

export function isRenderedByHugo(matter: FrontMatter): boolean {
  const render = buildOption(matter, "render");
  return !isNo(render) && !/^(?:never|link)$/i.test(render) && matter.headless !== true;
}

export function isListedByHugo(matter: FrontMatter): boolean {
  const list = buildOption(matter, "list");
  return !isNo(list) && !/^never$/i.test(list);
}

function buildOption(matter: FrontMatter, name: string): string {
  const build = matter.build ?? matter._build;
  const value = isObject(build) ? lowercaseKeys(build)[name] : "";
  return typeof value === "object" ? "" : String(value);
}
