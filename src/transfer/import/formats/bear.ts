import { parseJson } from "../../../text/json";
import { isNo, isYes, parseDate, textField, textListField } from "../items/dates-and-fields";
import { createItem, type ImportedItem, type ImportFormat, itemPerFile } from "../items/imported-item";
import { type FrontMatter, splitKeyValueMatter } from "../markdown/front-matter";
import { fileExtension, findFiles, parentFolder, readCsv } from "../sources/source-files";

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
  async *read(source, paths, { zone }) {
    const [path = ""] = paths;
    if (fileExtension(path) === "csv")
      for (const row of await readCsv(source, path))
        yield { item: itemOf(withMarkdownFieldNames(row), row.content ?? "", zone) };
    else
      yield* itemPerFile(source, paths, (_, text) => {
        const { matter, body } = splitKeyValueMatter(text);
        return itemOf(matter, body, zone);
      });
  },
};

function withMarkdownFieldNames(row: Record<string, string>): FrontMatter {
  const fields = Object.entries(row).map(([name, value]) => [name.replaceAll(" ", "_"), value]);
  const tags = row["all tags"] ?? "";
  return { ...Object.fromEntries(fields), tags: parseJson(tags) ?? tags };
}

const LOST = {
  meta_image: "preview images that are not in the post",
  canonical_url: "canonical URLs",
};

function itemOf(matter: FrontMatter, content: string, zone: string): ImportedItem {
  const slug = textField(matter, "slug");
  const title = textField(matter, "title");
  const lost = Object.entries(LOST).flatMap(([name, what]) => (textField(matter, name) ? [what] : []));
  return createItem({
    key: textField(matter, "uid") || slug,
    name: title || slug,
    type: isYes(matter.is_page) ? "page" : "post",
    summary: textField(matter, "meta_description"),
    ...{ title, slug, lost, content: content.trim(), contentType: "markdown" },
    status: isNo(matter.publish) ? "draft" : "published",
    at: parseDate(matter.published_date, zone) ?? parseDate(matter.first_published_at, zone),
    previousUrls: [`/${slug}/`, ...textListField(matter, ["alias"])],
    tags: textListField(matter, ["tags"]),
    base: "https://unknown.invalid/",
  });
}
