import { type Found, type ImportedItem, orFault } from "../items/imported-item";
import { beginningOf, endingOf, type Source, SourceFault } from "../sources/source";
import { EndsEarly, textOf, XmlFault, xmlElements } from "../sources/xml-reader";
import type { WordpressFile, WordpressFiles } from "../wordpress/wordpress-files";
import { fileInItem, foundInItem, type WordpressSite } from "../wordpress/wordpress-item";
import type { Format, Reading } from "./format";

/** WordPress's own export (Tools → Export), "WXR" 1.0 to 1.2, in one file or several. */
export const wordpress: Format = {
  name: "wordpress",
  brings: "a WordPress, by what Tools → Export gives",
  recognises: async (source) => (await exportsIn(source)).length > 0,
  texts: async (source) => [...(await exportsIn(source)), ...(await exportsIn(source))],
  read,
};

const SIZE_IN_NAME = /-\d{1,5}x\d{1,5}(?=\.[a-z0-9]{1,5}$)/i;
const SCALED = /-scaled(?=\.[a-z0-9]{1,5}$)/i;

/** Twice: a post may show pictures that come after it, or in another file. */
async function* read(source: Source, { zone, isPartial }: Reading): AsyncGenerator<Found> {
  const paths = await exportsIn(source);
  const site: WordpressSite = { address: "", zone, authors: new Set(), called: new Map() };
  const { files, all } = await filesIn(source, paths, site, isPartial);
  const shown = new Set<string>();
  for (const path of paths)
    try {
      for await (const item of xmlElements(source.bytes(path), ["item"])) {
        const name = textOf(item, "title").trim() || path;
        const found = item.tooMuch
          ? { fault: { name, why: item.tooMuch } }
          : await orFault(name, () => foundInItem(item, site, files));
        if (found && "item" in found) for (const file of filesShown(found.item)) shown.add(file);
        if (found) yield found;
      }
    } catch (fault) {
      if (!(fault instanceof XmlFault)) throw fault;
      yield { fault: { name: path, why: fault.message } };
    }
  for (const file of all)
    if (!shown.has(file))
      yield { passedOver: "uploads that no post or page shows, which stay where they are" };
}

/** Of its text and at its top, as `named` has them. */
function* filesShown({ content, featured }: ImportedItem): Generator<string> {
  if (featured) yield named(featured.address);
  for (const [, address = ""] of content.matchAll(/\s(?:src|href|poster)="([^"]{1,2000})"/g))
    yield named(address.replaceAll("&amp;", "&"));
}

/**
 * Older posts name by http: what the site has by https: now; WordPress.com and Jetpack say behind a picture's name how
 * large it is to be, and show it from servers of theirs.
 */
function whereverItIs(address: string): string {
  const [bare = ""] = address.split(/(?<=\.(?:jpe?g|png|gif|webp|avif))\?/i, 1);
  return bare.replace(/^https?:/i, "").replace(/^\/\/i\d\.wp\.com\//i, "//");
}

/** The same for an upload, its sizes, and what WordPress made of a large one. */
function named(address: string): string {
  return whereverItIs(address).replace(SIZE_IN_NAME, "").replace(SCALED, "");
}

async function exportsIn(source: Source): Promise<string[]> {
  const found: string[] = [];
  for (const path of source.paths)
    if (/^(?:xml|wxr|rss)$/.test(endingOf(path)) && (await isExport(source, path))) found.push(path);
  return found;
}

async function isExport(source: Source, path: string): Promise<boolean> {
  const beginning = await beginningOf(source, path, 16_384);
  return beginning.includes("<rss") && /wordpress\.org\/export\/|<wp:wxr_version>/.test(beginning);
}

/** What is known of every upload, a few hundred bytes of each. @throws SourceFault if a file ends early and not `isPartial` */
async function filesIn(
  source: Source,
  paths: string[],
  site: WordpressSite,
  isPartial: boolean,
): Promise<{ files: WordpressFiles; all: Set<string> }> {
  const byId = new Map<string, WordpressFile>();
  const byPost = new Map<string, WordpressFile[]>();
  const byAddress = new Map<string, WordpressFile>();
  const blocks = new Map<string, string>();
  for (const path of paths)
    try {
      for await (const element of xmlElements(source.bytes(path), [
        "item",
        "wp:author",
        "wp:base_blog_url",
      ])) {
        if (element.name === "wp:base_blog_url") site.address ||= element.text.trim();
        else if (element.name === "wp:author") site.authors.add(textOf(element, "wp:author_id").trim());
        if (element.name === "item" && textOf(element, "wp:post_type") === "wp_block")
          blocks.set(textOf(element, "wp:post_id"), textOf(element, "content:encoded"));
        const file = element.name === "item" ? fileInItem(element) : null;
        if (!file) continue;
        byId.set(file.id, file);
        byAddress.set(whereverItIs(file.address), file);
        // Of a large one WordPress shows what it has made smaller, and names its sizes by the first.
        byAddress.set(whereverItIs(file.address).replace(SCALED, ""), file);
        byPost.getOrInsertComputed(file.parent, () => []).push(file);
      }
    } catch (fault) {
      if (fault instanceof EndsEarly && !isPartial)
        throw new SourceFault(
          `${path}: ${fault.message} Nothing was brought. Export it again, or choose to import what is there: --partial, in the admin a box below the file.`,
        );
      // The second reading tells of it.
      if (!(fault instanceof XmlFault)) throw fault;
    }
  const files: WordpressFiles = {
    withId: (id) => byId.get(id),
    uploadedTo: (post) => byPost.get(post) ?? [],
    wholeOf(address) {
      const known = whereverItIs(address);
      return byAddress.get(known) ?? byAddress.get(known.replace(SIZE_IN_NAME, ""));
    },
    blockWithId: (id) => blocks.get(id),
  };
  return { files, all: new Set([...byAddress.keys()].map(named)) };
}
