import { parseDate } from "../items/dates";
import { createItem, entryOrError, type ImportEntry, type ImportedItem } from "../items/imported-item";
import {
  type FrontMatter,
  isNo,
  isYes,
  splitKeyValueMatter,
  textField,
  textListField,
} from "../markdown/front-matter";
import { fileExtension, findFiles, parentFolder, readCsv, readText, type Source } from "../sources/source";
import type { ImportFormat, ReadOptions } from "./format";

/** Bear Blog's export: a CSV, or a ZIP of Markdown with front matter that resembles YAML. */
export const bear: ImportFormat = {
  name: "bear",
  async find(source) {
    const tables = await findFiles(source, /^csv$/, (text) => /^"?uid"?,"?title"?,"?slug"?/.test(text));
    if (tables.length > 0) return tables.slice(0, 1);
    const isPost = (text: string, path: string) =>
      parentFolder(path) === "" && /^make_discoverable:/m.test(text);
    return await findFiles(source, /^md$/, isPost);
  },
  read: readBear,
};

async function* readBear(
  source: Source,
  paths: string[],
  { zone }: ReadOptions,
): AsyncGenerator<ImportEntry> {
  for (const path of paths)
    if (fileExtension(path) === "csv")
      for (const row of await readCsv(source, path))
        yield { item: itemOf(withMarkdownFieldNames(row), row.content ?? "", zone) };
    else
      yield await entryOrError(path, async () => {
        const { matter, body } = splitKeyValueMatter(await readText(source, path));
        return { item: itemOf(matter, body, zone) };
      });
}

function withMarkdownFieldNames(row: Record<string, string>): FrontMatter {
  const matter: FrontMatter = Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.replaceAll(" ", "_"), value]),
  );
  try {
    return { ...matter, tags: JSON.parse(row["all tags"] || "[]") };
  } catch {
    return { ...matter, tags: row["all tags"] };
  }
}

const LOST = {
  meta_image: "preview images that are not in the post",
  canonical_url: "canonical URLs",
};

function itemOf(matter: FrontMatter, content: string, zone: string): ImportedItem {
  const slug = textField(matter, "slug");
  const title = textField(matter, "title");
  const at = parseDate(matter.published_date, zone) ?? parseDate(matter.first_published_at, zone);
  const isDraft = isNo(matter.publish);
  const lost = Object.entries(LOST).flatMap(([name, what]) => (textField(matter, name) ? [what] : []));
  return createItem({
    key: textField(matter, "uid") || slug,
    name: title || slug,
    type: isYes(matter.is_page) ? "page" : "post",
    summary: textField(matter, "meta_description"),
    ...{ title, slug, lost, content: content.trim(), contentType: "markdown" },
    status: isDraft ? "draft" : "published",
    publishedAt: isDraft ? null : at,
    createdAt: at,
    previousUrls: [`/${slug}/`, ...textListField(matter, ["alias"])],
    tags: textListField(matter, ["tags"]),
    base: "https://unknown.invalid/",
  });
}
