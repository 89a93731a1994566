import { posix } from "node:path";
import { isNo, isYes, parseDate, textField, textListField } from "../items/dates-and-fields";
import {
  createItem,
  decodePath,
  entryOrError,
  type ImportEntry,
  type ImportedItem,
  type ImportedPicture,
  type ImportFormat,
  type ItemError,
  sourceFileUrl,
} from "../items/imported-item";
import {
  changeDate,
  featuredIn,
  isMarkedDraft,
  isPostAt,
  ownAddress,
  publicationDate,
  slugIn,
  splitTitle,
  summariesIn,
  topicsOf,
} from "../markdown/fields-from-front-matter";
import { type FrontMatter, parseFrontMatter, type TextWithFrontMatter } from "../markdown/front-matter";
import {
  isListedByHugo,
  isRenderedByHugo,
  loadInheritedFrontMatter,
  mergeFrontMatter,
  parentFolders,
} from "../markdown/inherited-front-matter";
import { convertCallouts, convertObsidianMarkup, indexVaultFiles } from "../markdown/obsidian";
import { isPlatenExport, readPlatenItem, readPlatenMessages } from "../markdown/posts-exported-by-platen";
import {
  detectStaticSite,
  fillPermalinkTemplate,
  listContentFiles,
  originalPermalink,
  type Place,
  placeOf,
  type StaticSite,
} from "../markdown/static-sites-and-permalinks";
import { convertTemplateTags } from "../markdown/template-tags";
import { fileExtension, parentFolder, readBeginning, readText, type Source } from "../sources/source-files";

export const markdown: ImportFormat = {
  name: "markdown",
  async find(source) {
    const texts = listContentFiles(source, await detectStaticSite(source, "UTC"));
    return texts.some((path) => !isHtml(path)) || (await anyHasFrontMatter(source, texts)) ? texts : [];
  },
  async *read(source, texts, { zone, at }) {
    const site = await detectStaticSite(source, zone);
    const errors: ItemError[] = [];
    const findInherited = await loadInheritedFrontMatter(source, site, texts, errors);
    const context = siteContext(source, site, texts, at);
    const readFile = async (path: string): Promise<ImportEntry | null> => {
      const text = parseFrontMatter(await readText(source, path));
      if (text.error) errors.push({ name: path, reason: text.error });
      if (isPlatenExport(text.matter)) {
        const item = await readPlatenItem(source, path, text.matter, text.body);
        return { item: text.error ? { ...item, status: "draft", publishedAt: null } : item };
      }
      const place = placeOf(path, site);
      const inherited = await findInherited(place);
      // In a site, an HTML file without front matter belongs to the theme.
      if (isHtml(path) && text.matter === null) return null;
      const joinsTags = site.maker === "eleventy";
      const matter = mergeFrontMatter(inherited, text.matter ?? {}, joinsTags);
      return entryOf({ ...place, ...text, matter, hasOwnMatter: text.matter !== null }, context);
    };
    for (const path of texts) {
      const entry = await entryOrError(path, () => readFile(path));
      for (const error of errors.splice(0)) yield { error };
      if (entry) yield entry;
    }
    for (const message of await readPlatenMessages(source)) yield { message };
  },
};

const isHtml = (path: string) => /^html?$/.test(fileExtension(path));

async function anyHasFrontMatter(source: Source, paths: string[]): Promise<boolean> {
  for (const path of paths.slice(0, 100))
    if (/^(?:---|\+\+\+)\s/.test(await readBeginning(source, path, 10))) return true;
  return false;
}

interface PlacedText extends TextWithFrontMatter, Place {
  /** With inherited fields. */
  matter: FrontMatter;
  hasOwnMatter: boolean;
}

type SiteContext = ReturnType<typeof siteContext>;

function siteContext(source: Source, site: StaticSite, texts: string[], at: Date) {
  const folders = new Set(source.paths.map(parentFolder));
  return { source, site, at, folders, files: indexVaultFiles(source), indexFolders: indexFoldersOf(texts) };
}

const INDEX = /(?:^|\/)index(?:\.[a-z]{2}(?:-[a-z]{2,4})?)?\.[a-z]+$/i;

/** Folder with an index file → whether it contains other content files. */
function indexFoldersOf(texts: string[]): Map<string, boolean> {
  const indexFiles = texts.filter((path) => INDEX.test(path));
  const folders = new Map(indexFiles.map((path) => [parentFolder(path), false]));
  for (const path of texts)
    for (const folder of INDEX.test(path) ? parentFolders(path).slice(0, -1) : parentFolders(path))
      if (folders.has(folder)) folders.set(folder, true);
  return folders;
}

function entryOf(text: PlacedText, context: SiteContext): ImportEntry {
  const name = text.path;
  const reason = skipReason(text, context);
  if (reason) return { skipped: reason, name };
  const item = itemOf(text, context);
  const isEmpty = item.content === "" && item.featured === null && item.status !== "draft";
  return isEmpty ? { skipped: "empty posts", name } : { item };
}

function skipReason(text: PlacedText, { site, indexFolders }: SiteContext): string | null {
  const { path, matter, hasOwnMatter, below } = text;
  const { maker, top } = site;
  if (/(?:^|\/)_index\.[a-z.-]+$/i.test(path)) return "section pages (_index.md)";
  if (isNo(matter.permalink)) return "posts without a URL (permalink: false)";
  if (maker === "hugo" && !isRenderedByHugo(matter)) return "posts without a URL (build.render)";
  if (maker === "none" && !hasOwnMatter) return null;
  if (/(?:^|\/)404$/.test(below)) return "error pages (404)";
  const isIndex = INDEX.test(path);
  const isOfSection = isIndex && indexFolders.get(parentFolder(path)) === true && !("date" in matter);
  const hasSectionPages = maker === "jekyll" || maker === "eleventy" || maker === "cecil";
  if (/^(?:pages?\/)?index$/.test(below) || (isOfSection && hasSectionPages))
    return "index pages: the blog has its own lists";
  const bundles = parentFolders(path).filter((folder) => `${folder}/`.length > top.length);
  if (maker === "hugo" && !isIndex && bundles.some((folder) => indexFolders.has(folder)))
    return "other files in a post's folder (with index.md)";
  return null;
}

function itemOf(text: PlacedText, { source, site, at: readAt, folders, files }: SiteContext): ImportedItem {
  const { path, matter, below, name, language } = text;
  const isHugo = site.maker === "hugo";
  const lost: string[] = [];
  const at = publicationDate(matter, name, site.zone);
  const isDraft = text.error !== undefined || isMarkedDraft(matter) || /(?:^|\/)_drafts\//.test(path);
  const isPost = isPostAt(below, matter, site, at !== null);
  const { title, content } = splitTitle(matter, text.body, site.maker === "none" ? name : "");
  const { category, tags, categories } = topicsOf(below, matter, site);
  const slug = slugIn(matter, name);
  const folder = parentFolder(below);
  const permalink = originalPermalink(site, {
    path: folder === "" ? slug : `${folder}/${slug}`,
    ...{ title, slug, at, categories, isPost },
  });
  const explicitUrl = ownAddress(matter);
  const defaultUrl = language === "" ? permalink : `/${language}${permalink}`;
  const originalUrl = explicitUrl === null ? defaultUrl : fillPermalinkTemplate(explicitUrl, { title, slug });
  if (originalUrl === null) lost.push("permalinks with templates");
  // Links in other content files use this path, regardless of the permalink settings.
  const urlByPath = isHugo && originalUrl !== null ? addressByPath(below, language) : null;
  const redirects = textListField(matter, ["aliases", "alias", "redirect_from", "redirects"]);
  const previousUrls = isDraft ? redirects : [originalUrl, ...redirects, urlByPath];
  const [summary = "", ...unusedSummaries] = summariesIn(matter);
  for (const _ of unusedSummaries) lost.push("descriptions of posts that have a summary");
  const expiry = isHugo ? parseDate(matter.expirydate, site.zone) : null;
  const isExpired = expiry !== null && expiry <= readAt;
  if (isExpired && !isDraft) lost.push("expired posts (expiryDate), which are archived");
  const base = text.isBundle ? `${parentFolder(path)}/` : pathBase(path, folders);
  const featured = featuredIn(matter);
  const plainContent = site.maker === "none" ? convertObsidianMarkup(content, files, lost) : content;
  const withoutTags = convertTemplateTags(plainContent, {
    ...{ maker: site.maker, isHtml: isHtml(path), lost },
    contentUrl: (target) => linkedTextUrl(target, path, site, source),
  });
  return createItem({
    key: `${path} ${textField(matter, "date")}`,
    name: path,
    pinned: isYes(matter.pinned) || isYes(matter.sticky),
    ...{ type: isPost ? "post" : "page", title, summary, category, tags, lost },
    language: language || textField(matter, "lang", "language", "locale") || null,
    translationKey: textField(matter, "translationkey") || (isHugo ? below : null),
    content: convertCallouts(withoutTags),
    contentType: isHtml(path) ? "html" : "markdown",
    status: isDraft ? "draft" : isExpired ? "archived" : "published",
    ...{ at, updatedAt: changeDate(matter, site.zone) },
    slug: language === "" ? slug : `${slug}-${language}`,
    previousUrls: previousUrls.filter((url) => url !== null),
    hidden: isPost && (isYes(matter.eleventyexcludefromcollections) || !isListedByHugo(matter)),
    base: sourceFileUrl(base),
    featured: featured && resolveFeatured(featured, base, source),
  });
}

function addressByPath(below: string, language: string): string {
  return `/${language === "" ? "" : `${language}/`}${below.toLowerCase()}/`;
}

function linkedTextUrl(target: string, path: string, site: StaticSite, source: Source): string | null {
  const bare = target.replace(/^\//, "").replace(/\/$/, "");
  const folders = target.startsWith("/") ? [site.top] : [`${parentFolder(path)}/`, site.top];
  const endings = ["", ".md", "/index.md"];
  const paths = folders.flatMap((folder) => endings.map((ending) => posix.join(folder, bare + ending)));
  const found = paths.find((one) => fileExtension(one) !== "" && source.has(one));
  if (found === undefined) return null;
  const { below, language } = placeOf(found, site);
  return addressByPath(below, language);
}

function resolveFeatured(featured: ImportedPicture, base: string, source: Source): ImportedPicture {
  const { address } = featured;
  const isResolved = /^(?:\/|\w+:|\.\.?\/)/.test(address) || source.has(decodePath(base + address));
  return isResolved ? featured : { ...featured, address: `/${address}` };
}

function pathBase(path: string, folders: Set<string>): string {
  const own = path.replace(/\.[a-z]+$/i, "");
  const folder = parentFolder(path);
  return folders.has(own) ? `${own}/` : folder === "" ? "" : `${folder}/`;
}
