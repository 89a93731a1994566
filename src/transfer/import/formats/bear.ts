import { parseDate } from "../items/dates";
import { createItem, type ImportEntry, type ImportedItem } from "../items/imported-item";
import {
  type FrontMatter,
  isNo,
  isYes,
  parseKeyValueLines,
  textField,
  textListField,
} from "../markdown/front-matter";
import { CsvError, readCsvRows } from "../sources/csv-reader";
import { fileExtension, parentFolder, readBeginning, readText, type Source } from "../sources/source";
import type { ImportFormat, ReadOptions } from "./format";

/** Bear Blog's export: a CSV, or a ZIP of Markdown whose front matter resembles YAML. */
export const bear: ImportFormat = {
  name: "bear",
  detects: async (source) => (await tableIn(source)) !== null || (await textsIn(source)).length > 0,
  async contentFiles(source) {
    const table = await tableIn(source);
    return table === null ? await textsIn(source) : [table];
  },
  read: readBear,
};

async function* readBear(source: Source, { zone }: ReadOptions): AsyncGenerator<ImportEntry> {
  const table = await tableIn(source);
  if (table) yield* inTable(source, table, zone);
  else
    for (const path of await textsIn(source)) {
      const { matter, content } = parts((await readText(source, path)).replace(/\r\n?/g, "\n"));
      yield { item: itemOf(parseKeyValueLines(matter), content, zone) };
    }
}

async function* inTable(source: Source, table: string, zone: string): AsyncGenerator<ImportEntry> {
  try {
    for await (const row of readCsvRows(source.bytes(table)))
      if (row) yield { item: itemOf(spelledAsInTexts(row), row.content ?? "", zone) };
      else yield { error: { name: table, why: "a post in it is too long." } };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield { error: { name: table, why: error.message } };
  }
}

function parts(text: string): { matter: string; content: string } {
  const start = text.indexOf("\n") + 1;
  const end = text.indexOf("\n---", start - 1);
  const after = text.indexOf("\n", end + 1);
  return { matter: text.slice(start, Math.max(start, end)), content: after < 0 ? "" : text.slice(after + 1) };
}

async function tableIn(source: Source): Promise<string | null> {
  for (const path of source.paths)
    if (
      fileExtension(path) === "csv" &&
      /^"?uid"?,"?title"?,"?slug"?/.test(await readBeginning(source, path, 200))
    )
      return path;
  return null;
}

async function textsIn(source: Source): Promise<string[]> {
  const found: string[] = [];
  for (const path of source.paths)
    if (
      fileExtension(path) === "md" &&
      parentFolder(path) === "" &&
      /^make_discoverable:/m.test(await readBeginning(source, path))
    )
      found.push(path);
  return found;
}

/** Converts the CSV's columns to the field names of its Markdown export: "published date" → "published_date". */
function spelledAsInTexts(row: Record<string, string>): FrontMatter {
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
