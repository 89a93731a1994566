import { posix } from "node:path";
import { timeIn } from "../items/dates";
import {
  addressInSource,
  decodedPath,
  type Found,
  type ImportedItem,
  type ImportedPicture,
  plainItem,
} from "../items/imported-item";
import {
  type FrontedText,
  type FrontMatter,
  frontedText,
  isNo,
  isObject,
  isYes,
  textNamed,
  textsNamed,
} from "../markdown/front-matter";
import {
  foldersAbove,
  inheritedMatter,
  isListed,
  isRendered,
  mergedMatter,
} from "../markdown/inherited-front-matter";
import { plainCallouts, plainNotes, type VaultFiles, vaultFiles } from "../markdown/obsidian";
import { formerPermalink, withoutTemplates } from "../markdown/permalinks";
import { isOwn, ownItem, ownMessages } from "../markdown/platen-item";
import { type SiteFolder, siteFolder, textsOf } from "../markdown/static-site";
import { plainMarkup } from "../markdown/template-tags";
import { beginningOf, endingOf, folderOf, type Source, SourceFault, textIn } from "../sources/source";
import type { Format, Reading } from "./format";

/** A folder of texts with what is to be known of each above it: what Hugo, Jekyll and Eleventy make sites of, or none of them. */
export const markdown: Format = {
  name: "markdown",
  brings: "a folder of Markdown, also one of Hugo's, Jekyll's or Eleventy's",
  recognises: async (source) => {
    const texts = textsOf(source, await siteFolder(source, "UTC"));
    return texts.some((path) => !isHtml(path)) || (await anyFronted(source, texts));
  },
  texts: async (source) => textsOf(source, await siteFolder(source, "UTC")),
  read,
};

const isHtml = (path: string) => /^html?$/.test(endingOf(path));

async function anyFronted(source: Source, paths: string[]): Promise<boolean> {
  for (const path of paths.slice(0, 100))
    if (/^(?:---|\+\+\+)\s/.test(await beginningOf(source, path, 10))) return true;
  return false;
}

async function* read(source: Source, { zone, at }: Reading): AsyncGenerator<Found> {
  const site = await siteFolder(source, zone);
  const texts = textsOf(source, site);
  const inherited = await inheritedMatter(source, site, texts);
  const around = {
    ...{ source, at, folders: new Set(source.paths.map(folderOf)), files: vaultFiles(source) },
    indexFolders: indexFoldersOf(texts),
  };
  for (const path of texts)
    try {
      const text = frontedText(await textIn(source, path));
      if (text.fault) yield { fault: { name: path, why: text.fault } };
      if (isOwn(text.matter)) {
        const item = await ownItem(source, path, text.matter, text.body);
        yield { item: text.fault ? { ...item, status: "draft", publishedAt: null } : item };
      } else {
        const above = await inherited.matterOf({ path, ...placeOf(path, site) });
        for (const fault of inherited.takeFaults()) yield { fault };
        const found = foundIn(path, text, above, site, around);
        if (found) yield found;
      }
    } catch (fault) {
      if (!(fault instanceof SourceFault)) throw fault;
      yield { fault: { name: path, why: fault.message } };
    }
  for (const message of await ownMessages(source)) yield { message };
}

/** What lies beside a text. */
interface Around {
  source: Source;
  /** When the source is read. */
  at: Date;
  folders: Set<string>;
  files: VaultFiles;
  /** Folders with an index.md, and whether there are other texts in or below them. */
  indexFolders: Map<string, boolean>;
}

const INDEX = /(?:^|\/)index(?:\.[a-z]{2}(?:-[a-z]{2,4})?)?\.[a-z]+$/i;

function indexFoldersOf(texts: string[]): Map<string, boolean> {
  const folders = new Map(texts.filter((path) => INDEX.test(path)).map((path) => [folderOf(path), false]));
  for (const path of texts)
    for (const folder of INDEX.test(path) ? foldersAbove(path).slice(0, -1) : foldersAbove(path))
      if (folders.has(folder)) folders.set(folder, true);
  return folders;
}

function foundIn(
  path: string,
  text: FrontedText,
  above: FrontMatter,
  site: SiteFolder,
  around: Around,
): Found | null {
  // A page that is made of nothing but HTML is a part of the site's make-up.
  if (isHtml(path) && text.matter === null) return null;
  const matter = mergedMatter(above, text.matter ?? {}, { joinsTags: site.maker === "eleventy" });
  const passedOver = whyNoPost(path, { ...text, matter }, text.matter !== null, site, around);
  if (passedOver) return { passedOver, name: path };
  const item = itemOf(path, { ...text, matter }, site, around);
  // A draft is what its owner goes on with.
  if (item.content === "" && item.featured === null && item.status !== "draft")
    return { passedOver: "texts without a word", name: path };
  return { item };
}

/** null: it is one. */
function whyNoPost(
  path: string,
  { matter }: { matter: FrontMatter },
  isFronted: boolean,
  site: SiteFolder,
  { indexFolders }: Around,
): string | null {
  if (/(?:^|\/)_index\.[a-z.-]+$/i.test(path)) return "pages of sections (_index.md)";
  if (isNo(matter.permalink)) return "texts that the site had at no address (permalink: false)";
  if (site.maker === "hugo" && !isRendered(matter))
    return "texts that the site had at no address (build.render)";
  if (site.maker === "none" && !isFronted) return null;
  const { below } = placeOf(path, site);
  if (/(?:^|\/)404$/.test(below)) return "pages for what is not found (404)";
  const isTop = /^(?:pages?\/)?index$/.test(below);
  const isOfSection = INDEX.test(path) && indexFolders.get(folderOf(path)) === true && !("date" in matter);
  if (
    isTop ||
    (isOfSection && (site.maker === "jekyll" || site.maker === "eleventy" || site.maker === "cecil"))
  )
    return "index pages: the blog's own lists stand for them";
  if (site.maker === "hugo" && !INDEX.test(path) && isInBundle(path, site, indexFolders))
    return "texts that belong to another, in its folder (beside index.md)";
  return null;
}

function isInBundle(path: string, { top }: SiteFolder, indexFolders: Map<string, boolean>): boolean {
  return foldersAbove(path).some((folder) => `${folder}/`.length > top.length && indexFolders.has(folder));
}

/** "2013-01-02-tea.md", "2013-01-02_tea.md" */
const DATED = /^(\d{4})-(\d{1,2})-(\d{1,2})[-_](?=.)/;

function itemOf(
  path: string,
  { matter, body, fault }: FrontedText & { matter: FrontMatter },
  site: SiteFolder,
  { source, at: readAt, folders, files }: Around,
): ImportedItem {
  const lost: string[] = [];
  const { below, name, isBundle, language } = placeOf(path, site);
  const [dated] = DATED.exec(name) ?? [];
  const at =
    timeIn(
      matter.publishdate ??
        matter.date ??
        matter.published_at ??
        matter.pubdate ??
        matter.published ??
        matter.created,
      site.zone,
    ) ?? (dated ? timeIn(dated.slice(0, -1), site.zone) : null);
  const isDraft = fault !== undefined || saysDraft(matter) || /(?:^|\/)_drafts\//.test(path);
  const isPost = isPostAt(below, matter, site, at !== null);
  const { title, content } = titled(matter, body, site.maker === "none" ? name : "");
  const { category, tags, categories } = topicsOf(below, matter, site);
  const slug = textNamed(matter, "slug") || name.slice(dated?.length ?? 0);
  const folder = folderOf(below);
  const permalink = formerPermalink(site, {
    path: folder === "" ? slug : `${folder}/${slug}`,
    ...{ title, slug, at, categories, isPost },
  });
  const said = ownAddress(matter);
  const own =
    said === null
      ? language === ""
        ? permalink
        : `/${language}${permalink}`
      : withoutTemplates(said, { title, slug });
  if (own === null) lost.push("the address that a template makes (permalink)");
  const [summary = "", ...unusedSummaries] = summariesIn(matter);
  for (const _ of unusedSummaries) lost.push("descriptions of texts that have a summary");
  // What texts name each other by, wherever the settings have put them.
  const byPath = site.maker === "hugo" && own !== null ? [addressByPath(below, language)] : [];
  const tell = (what: string) => lost.push(what);
  const expiry = site.maker === "hugo" ? timeIn(matter.expirydate, site.zone) : null;
  const isExpired = expiry !== null && expiry <= readAt;
  if (isExpired && !isDraft) tell("texts that have expired (expiryDate): they are archived");
  const base = isBundle ? `${folderOf(path)}/` : pathBase(path, folders);
  const featured = featuredIn(matter);
  const others = textsNamed(matter, ["aliases", "alias", "redirect_from", "redirects"]);
  return plainItem({
    key: `${path} ${textNamed(matter, "date")}`,
    name: path,
    summary,
    pinned: isYes(matter.pinned) || isYes(matter.sticky),
    ...{ type: isPost ? "post" : "page", title, category, tags, lost },
    content: plainCallouts(
      plainMarkup(site.maker === "none" ? plainNotes(content, files, tell) : content, {
        ...{ maker: site.maker, isHtml: isHtml(path), lost: tell },
        textAt: (target) => textMeant(target, path, site, source),
      }),
    ),
    contentType: isHtml(path) ? "html" : "markdown",
    status: isDraft ? "draft" : isExpired ? "archived" : "published",
    publishedAt: isDraft ? null : at,
    createdAt: at,
    updatedAt: timeIn(
      matter.lastmod ?? matter.last_modified_at ?? matter.updated ?? matter.modified,
      site.zone,
    ),
    slug: language === "" ? slug : `${slug}-${language}`,
    formerAddresses: isDraft ? others : [...(own === null ? [] : [own]), ...others, ...byPath],
    hidden: isPost && (isYes(matter.eleventyexcludefromcollections) || !isListed(matter)),
    base: addressInSource(base),
    featured: featured && fromTop(featured, base, source),
  });
}

function addressByPath(below: string, language: string): string {
  return `/${language === "" ? "" : `${language}/`}${below.toLowerCase()}/`;
}

/** Beside the text that names it, or from the top. */
function textMeant(target: string, path: string, site: SiteFolder, source: Source): string | null {
  const bare = target.replace(/^\//, "").replace(/\/$/, "");
  const folders = target.startsWith("/") ? [site.top] : [`${folderOf(path)}/`, site.top];
  const paths = folders.flatMap((folder) =>
    ["", ".md", "/index.md"].map((ending) => posix.join(folder, bare + ending)),
  );
  const found = paths.find((one) => endingOf(one) !== "" && source.has(one));
  if (found === undefined) return null;
  const { below, language } = placeOf(found, site);
  return addressByPath(below, language);
}

/** A value that is neither yes nor no is not published either. */
function saysDraft(matter: FrontMatter): boolean {
  const { draft } = matter;
  return (
    (draft !== undefined && draft !== null && draft !== "" && !isNo(draft)) ||
    [matter.published, matter.publish].some(isNo) ||
    /^(?:draft|pending|private|unpublished|hidden|skip)$/i.test(textNamed(matter, "status"))
  );
}

/** Themes look for a picture beside the text, and at the top of the site. */
function fromTop(featured: ImportedPicture, base: string, source: Source): ImportedPicture {
  const { address } = featured;
  const isBeside = /^(?:\/|\w+:|\.\.?\/)/.test(address) || source.has(decodedPath(base + address));
  return isBeside ? featured : { ...featured, address: `/${address}` };
}

/** Where a text is below the folder of all of them. */
interface Place {
  below: string;
  name: string;
  /** A folder with its text in "index.md". */
  isBundle: boolean;
  /** "tea.fr.md" is Hugo's way to say so; "" where it is the site's own. */
  language: string;
}

function placeOf(path: string, { top, maker, settings }: SiteFolder): Place {
  const whole = path.slice(top.length).replace(/\.[a-z]+$/i, "");
  const [ending = "", named = ""] = (maker === "hugo" && /\.([a-z]{2}(?:-[a-z]{2,4})?)$/i.exec(whole)) || [];
  const bare = whole.slice(0, whole.length - ending.length);
  const own = textNamed(settings, "defaultcontentlanguage") || "en";
  const language = named.toLowerCase() === own.toLowerCase() ? "" : named.toLowerCase();
  const isBundle = /(?:^|\/)index$/.test(bare) && bare !== "index";
  const inFolder = isBundle ? folderOf(bare) : bare;
  // The folder of the site's own language is in no address.
  const below =
    maker === "hugo" && !isYes(settings.defaultcontentlanguageinsubdir) && inFolder.startsWith(`${own}/`)
      ? inFolder.slice(own.length + 1)
      : inFolder;
  return { below, name: below.slice(below.lastIndexOf("/") + 1), isBundle, language };
}

/** What is beside a text stands in a folder of its name, or beside it. */
function pathBase(path: string, folders: Set<string>): string {
  const own = path.replace(/\.[a-z]+$/i, "");
  const folder = folderOf(path);
  return folders.has(own) ? `${own}/` : folder === "" ? "" : `${folder}/`;
}

function isPostAt(below: string, matter: FrontMatter, { maker }: SiteFolder, hasDate: boolean): boolean {
  const kind = textNamed(matter, "type", "layout");
  if (/^pages?$/.test(kind) || isYes(matter.is_page)) return false;
  if (/^posts?$/.test(kind)) return true;
  if (/^pages?\/[^/]+$/.test(below)) return false;
  if (/^pages?\//.test(below)) return hasDate;
  if (maker === "cecil") return below.includes("/") && hasDate;
  if (maker === "jekyll") return /(?:^|\/)_(?:posts|drafts)\//.test(below);
  if (maker === "hugo") return below.includes("/");
  if (maker === "eleventy")
    return hasDate || textsNamed(matter, ["tags"]).some((tag) => /^(?:posts?|blog)$/i.test(tag));
  return maker === "none";
}

/** Without one above it, a heading that the text begins with is its title, or the words that its file is called by. */
function titled(matter: FrontMatter, body: string, name: string): { title: string; content: string } {
  const title = textNamed(matter, "title") || (/^\p{L}.* /u.test(name) && !body.startsWith("# ") ? name : "");
  const content = body.trim();
  if (title !== "" || !content.startsWith("# ")) return { title, content };
  const end = content.indexOf("\n");
  const heading = (end < 0 ? content : content.slice(0, end)).slice(2).trim();
  return { title: heading, content: end < 0 ? "" : content.slice(end + 1).trim() };
}

/** Of the program that made the site, not of the text. */
const COLLECTIONS = new Set(["post", "posts", "all", "nav", "blog", "page", "pages"]);

function topicsOf(below: string, matter: FrontMatter, { maker }: SiteFolder) {
  const spaces = maker === "jekyll";
  const [above = ""] = maker === "jekyll" ? below.split(/\/?_(?:posts|drafts)\//) : [];
  const categories = [
    ...(above === "" || above === below ? [] : above.split("/")),
    ...textsNamed(matter, ["category", "categories"], { spaces }),
  ];
  const [category = null, ...others] = [...new Set(categories)];
  const tags = textsNamed(matter, ["tags", "tag", "topics", "keywords"], { spaces });
  const named = maker === "eleventy" ? tags.filter((tag) => !COLLECTIONS.has(tag.toLowerCase())) : tags;
  return { categories, category, tags: [...named, ...others] };
}

/** Each that differs, the one for lists first. */
function summariesIn(matter: FrontMatter): string[] {
  const named = ["summary", "excerpt", "description"].map((name) => textNamed(matter, name));
  return [...new Set(named.filter(Boolean))];
}

/** What the text says itself, unless that is made of something else. */
function ownAddress(matter: FrontMatter): string | null {
  const address = textNamed(matter, "url", "permalink");
  return address === "" || address.replace(/^https?:/, "").includes(":") ? null : address;
}

function featuredIn(matter: FrontMatter): ImportedPicture | null {
  const names = [
    "featured_image",
    "featureimage",
    "feature_image",
    "cover_image",
    "cover",
    "image",
    "images",
    "thumbnail",
    "hero",
  ];
  for (const value of names.map((name) => matter[name])) {
    const [first] = Array.isArray(value) ? value : [value];
    const address = isObject(first) ? textNamed(first, "image", "src", "url", "path", "feature") : first;
    if (typeof address !== "string" || address === "") continue;
    const alt = isObject(first)
      ? textNamed(first, "alt")
      : textNamed(matter, "image_alt", "cover_alt", "featured_image_alt");
    return { address, alt: alt || null, caption: isObject(first) ? textNamed(first, "caption") : "" };
  }
  return null;
}
