import { DomUtils } from "htmlparser2";
import { documentOf, elements, tidyHtml } from "../content/html-content";
import { timeIn } from "../items/dates";
import { addressInSource, type Found, type ImportedItem, orFault, plainItem } from "../items/imported-item";
import { isNo, linesIn, textNamed, textsNamed } from "../markdown/front-matter";
import { beginningOf, endingOf, folderOf, type Source, textIn } from "../sources/source";
import type { Format, Reading } from "./format";

/** Pagecord's export: a ZIP with a list, a file for each post and its pictures; in Markdown, or in HTML that knows no times. */
export const pagecord: Format = {
  name: "pagecord",
  brings: "a Pagecord blog, by its export (Markdown, which knows more than its HTML)",
  recognises: async (source) => {
    const [path] = textsIn(source);
    if (path === undefined || !(source.has("index.md") || source.has("index.html"))) return false;
    if (source.paths.some((one) => /^images\/[^/]+\/[^/]+$/.test(one))) return true;
    return /^published: (?:true|false)$/m.test(await beginningOf(source, path));
  },
  texts: textsIn,
  read,
};

async function* read(source: Source, { zone }: Reading): AsyncGenerator<Found> {
  for (const path of textsIn(source)) {
    yield await orFault(path, async () => {
      const text = (await textIn(source, path)).replace(/\r\n?/g, "\n");
      return { item: path.endsWith(".md") ? markdownItem(path, text, zone) : htmlItem(path, text) };
    });
  }
}

/** Not the lists. */
function textsIn({ paths }: Source): string[] {
  return paths.filter(
    (path) =>
      /^(?:md|html)$/.test(endingOf(path)) && folderOf(path) === "" && !/^(?:index|posts)\./.test(path),
  );
}

const slugOf = (path: string) => path.replace(/\.(?:md|html)$/, "");

function markdownItem(path: string, text: string, zone: string): ImportedItem {
  const start = text.indexOf("\n") + 1;
  const end = text.indexOf("\n---", start - 1);
  const matter = linesIn(text.slice(start, Math.max(start, end)));
  const body = text.slice(text.indexOf("\n", end + 1) + 1).trim();
  const title = textNamed(matter, "title");
  const heading = `# ${title}`;
  const hasTitle = body.startsWith(`${heading}\n`) || body === heading;
  const said = hasTitle ? body.slice(heading.length) : body;
  // A text may have such a heading of its own.
  const kommentsAt = said.lastIndexOf("\n\n## Comments\n\n");
  const at = timeIn(matter.published_at, zone);
  const isDraft = isNo(matter.published);
  return plainItem({
    ...{ key: path, name: path, slug: slugOf(path) },
    // A post without a title shows the beginning of its text there.
    title: hasTitle ? title : "",
    content: (kommentsAt < 0 ? said : said.slice(0, kommentsAt)).trim(),
    contentType: "markdown",
    status: isDraft ? "draft" : "published",
    publishedAt: isDraft ? null : at,
    createdAt: at,
    formerAddresses: [`/${slugOf(path)}`],
    tags: textsNamed(matter, ["tags"]),
    base: addressInSource(""),
    lost: kommentsAt >= 0 ? ["comments, which stand in the text there, with days and without times"] : [],
  });
}

function htmlItem(path: string, text: string): ImportedItem {
  const document = documentOf(text);
  const [body] = elements(document, "body");
  const [heading] = body ? elements(body, "h1") : [];
  const title = heading ? DomUtils.textContent(heading).trim() : "";
  if (heading) DomUtils.removeElement(heading);
  return plainItem({
    ...{ key: path, name: path, title, slug: slugOf(path) },
    content: tidyHtml(documentOf(body ? DomUtils.getInnerHTML(body, { encodeEntities: "utf8" }) : text)),
    contentType: "html",
    formerAddresses: [`/${slugOf(path)}`],
    base: addressInSource(""),
    lost: [
      "times, tags and whether it is a draft: the export in HTML does not hold them; that in Markdown does",
    ],
  });
}
