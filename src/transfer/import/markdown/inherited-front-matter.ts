import type { ItemFault } from "../items/imported-item";
import { folderOf, type Source, textIn } from "../sources/source";
import { type FrontMatter, frontedText, isNo, isObject, smallNames } from "./front-matter";
import { literalsIn } from "./js-literals";
import type { SiteFolder } from "./static-site";

/** In bytes, of a file that says something of several texts. */
const LARGEST_DATA = 1_000_000;
const DATA_ENDINGS = [".json", ".11tydata.json", ".11tydata.mjs", ".11tydata.cjs", ".11tydata.js"];
const INDEX = /(?:^|\/)_index(?:\.([a-z]{2}(?:-[a-z]{2,4})?))?\.[a-z]+$/i;

/** A text, as what stands above it is told by. */
export interface PlacedText {
  path: string;
  /** Below the folder of all texts, without its ending. */
  below: string;
  /** "" if it is the site's own. */
  language: string;
}

/** What texts have from files above them: Hugo's cascades, Eleventy's data files. */
export interface InheritedMatter {
  matterOf(text: PlacedText): Promise<FrontMatter>;
  /** Those of the files that were read since the last call. */
  takeFaults(): ItemFault[];
}

export async function inheritedMatter(
  source: Source,
  site: SiteFolder,
  texts: string[],
): Promise<InheritedMatter> {
  if (site.maker === "hugo") return await hugoCascades(source, site, texts);
  if (site.maker === "eleventy") return eleventyData(source, site);
  return { matterOf: async () => ({}), takeFaults: () => [] };
}

async function hugoCascades(source: Source, site: SiteFolder, texts: string[]): Promise<InheritedMatter> {
  /** By "folder language". */
  const cascades = new Map<string, FrontMatter[]>();
  for (const path of texts) {
    const [, language = ""] = INDEX.exec(path) ?? [];
    if (!INDEX.test(path)) continue;
    const text = await textIn(source, path);
    const { matter, fault } = frontedText(text);
    const found = cascadesIn(matter?.cascade);
    // It may have said that what is below is no more than a draft.
    if (fault && /\bcascade\b/i.test(text)) found.push({ draft: true });
    if (found.length > 0) cascades.set(`${folderOf(path)} ${language.toLowerCase()}`, found);
  }
  const ofSite = cascadesIn(site.settings.cascade);
  return {
    async matterOf({ path, below, language }) {
      const above = foldersAbove(path).flatMap((folder) => cascades.get(`${folder} ${language}`) ?? []);
      const meant = [...ofSite, ...above].filter((cascade) => isMeant(cascade, below));
      return Object.assign({}, ...meant) as FrontMatter;
    },
    takeFaults: () => [],
  };
}

function cascadesIn(value: unknown): FrontMatter[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject).map(smallNames);
}

/** By its target; one without is meant for all. */
function isMeant(cascade: FrontMatter, below: string): boolean {
  const target = cascade._target ?? cascade.target;
  if (!isObject(target)) return true;
  const { path, kind, environment } = smallNames(target);
  const fits = (glob: unknown, value: string) =>
    typeof glob !== "string" || new Bun.Glob(glob.toLowerCase()).match(value);
  return fits(path, `/${below.toLowerCase()}`) && fits(kind, "page") && fits(environment, "production");
}

function eleventyData(source: Source, { top }: SiteFolder): InheritedMatter {
  const known = new Map<string, Promise<FrontMatter>>();
  const faults: ItemFault[] = [];
  const dataAt = (stem: string) =>
    known.getOrInsertComputed(stem, () => dataFiles(source, stem, (fault) => faults.push(fault)));
  return {
    async matterOf({ path }) {
      const folders = foldersAbove(path).filter((folder) => `${folder}/`.startsWith(top) && folder !== "");
      const stems = folders.map((folder) => `${folder}/${folder.slice(folder.lastIndexOf("/") + 1)}`);
      const own = path.replace(/\.[a-z]+$/i, "");
      let matter: FrontMatter = {};
      for (const stem of new Set([...stems, own])) matter = mergedMatter(matter, await dataAt(stem));
      return matter;
    },
    takeFaults: () => faults.splice(0),
  };
}

/** What a text says counts more than what stands above it; of tags both count, as Eleventy has it. */
export function mergedMatter(above: FrontMatter, own: FrontMatter, { joinsTags = true } = {}): FrontMatter {
  const tags = [above.tags, own.tags].flat().filter((tag) => tag !== undefined && tag !== null);
  return { ...above, ...own, ...(joinsTags && tags.length > 0 && { tags }) };
}

async function dataFiles(
  source: Source,
  stem: string,
  onFault: (fault: ItemFault) => void,
): Promise<FrontMatter> {
  let matter: FrontMatter = {};
  for (const path of DATA_ENDINGS.map((ending) => stem + ending).filter(source.has)) {
    const text = await textIn(source, path, LARGEST_DATA);
    const { fields, unread } = path.endsWith("json") ? fieldsOfJson(text) : literalsIn(text);
    if (unread.length > 0) {
      const why = `sets more than plain values (${unread.slice(0, 9).join(", ")}), which are not known of its texts.`;
      onFault({ name: path, why });
    }
    const isOfDrafts =
      unread.includes("draft") || (unread.length > 0 && /\bdraft["']?\s{0,9}:\s{0,9}true\b/.test(text));
    matter = mergedMatter(matter, smallNames({ ...fields, ...(isOfDrafts && { draft: true }) }));
  }
  return matter;
}

function fieldsOfJson(text: string) {
  try {
    const fields: unknown = JSON.parse(text);
    return { fields: isObject(fields) ? fields : {}, unread: [] };
  } catch {
    return { fields: {}, unread: ["all of it"] };
  }
}

/** "a/b/c.md" → "", "a", "a/b" */
export function foldersAbove(path: string): string[] {
  const names = folderOf(path).split("/").filter(Boolean);
  return ["", ...names.map((_, at) => names.slice(0, at + 1).join("/"))];
}

/** Does Hugo make a page of it? */
export function isRendered(matter: FrontMatter): boolean {
  const { render } = buildOf(matter);
  return !/^(?:never|link)$/i.test(String(render)) && !isNo(render) && matter.headless !== true;
}

/** Is it in Hugo's lists? */
export function isListed(matter: FrontMatter): boolean {
  const { list } = buildOf(matter);
  return !isNo(list) && !/^never$/i.test(String(list));
}

function buildOf(matter: FrontMatter): FrontMatter {
  const build = matter.build ?? matter._build;
  return isObject(build) ? smallNames(build) : {};
}
