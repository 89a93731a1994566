import { DomUtils } from "htmlparser2";
import { isNo, parseDate, textField, textListField } from "../items/dates-and-fields";
import { findElements, parseHtml, serializeHtml, tidyHtml, trimmedText } from "../items/html-content";
import type { ImportedItem, ImportFormat } from "../items/imported-item";
import { createItem, itemPerFile, sourceFileUrl } from "../items/imported-item";
import { splitKeyValueMatter } from "../markdown/front-matter";
import { readBeginning } from "../sources/source-files";

/** Pagecord's export: a ZIP of posts in Markdown, or in HTML without dates, and images. */
export const pagecord: ImportFormat = {
  name: "pagecord",
  async find(source) {
    const texts = source.paths.filter((path) => /^(?!(?:index|posts)\.)[^/]*\.(?:md|html)$/.test(path));
    const [path] = texts;
    if (path === undefined || !(source.has("index.md") || source.has("index.html"))) return [];
    // In an export of Pagecord, all other files are in images/.
    if (source.paths.some((one) => one.includes("/") && !one.startsWith("images/"))) return [];
    const hasImages = source.paths.some((one) => /^images\/[^/]+\/[^/]+$/.test(one));
    const isOne = hasImages || /^published: (?:true|false)$/m.test(await readBeginning(source, path));
    return isOne ? texts : [];
  },
  read: (source, paths, { zone }) =>
    itemPerFile(source, paths, (path, text) =>
      path.endsWith(".md") ? markdownItem(path, text, zone) : htmlItem(path, text),
    ),
};

const slugOf = (path: string) => path.replace(/\.(?:md|html)$/, "");

function markdownItem(path: string, text: string, zone: string): ImportedItem {
  const { matter, body } = splitKeyValueMatter(text);
  const title = textField(matter, "title");
  const heading = `# ${title}`;
  const hasTitle = body.startsWith(`${heading}\n`) || body === heading;
  const contentAndComments = hasTitle ? body.slice(heading.length) : body;
  // Takes the last such heading, because the post itself may contain one.
  const kommentsAt = contentAndComments.lastIndexOf("\n\n## Comments\n\n");
  return createItem({
    ...{ key: path, name: path, slug: slugOf(path) },
    // For untitled posts, Pagecord writes the beginning of the text as the title.
    title: hasTitle ? title : "",
    content: (kommentsAt < 0 ? contentAndComments : contentAndComments.slice(0, kommentsAt)).trim(),
    contentType: "markdown",
    status: isNo(matter.published) ? "draft" : "published",
    at: parseDate(matter.published_at, zone),
    previousUrls: [`/${slugOf(path)}`],
    tags: textListField(matter, ["tags"]),
    base: sourceFileUrl(""),
    lost: kommentsAt >= 0 ? ["comments, because the export lacks their times"] : [],
  });
}

function htmlItem(path: string, text: string): ImportedItem {
  const document = parseHtml(text);
  const [body] = findElements(document, "body");
  const [heading] = body ? findElements(body, "h1") : [];
  const title = heading ? trimmedText(heading) : "";
  if (heading) DomUtils.removeElement(heading);
  return createItem({
    ...{ key: path, name: path, title, slug: slugOf(path) },
    content: tidyHtml(parseHtml(body ? serializeHtml(body.children) : text)),
    contentType: "html",
    previousUrls: [`/${slugOf(path)}`],
    base: sourceFileUrl(""),
    lost: ["dates, tags and draft status, which only the Markdown export contains"],
  });
}
