import { timeIn } from "../items/dates";
import { type Found, type ImportedItem, plainItem } from "../items/imported-item";
import { type FrontMatter, isNo, isYes, linesIn, textNamed, textsNamed } from "../markdown/front-matter";
import { CsvFault, csvRows } from "../sources/csv-reader";
import { beginningOf, endingOf, folderOf, type Source, textIn } from "../sources/source";
import type { Format, Reading } from "./format";

/** Bear Blog's export: a ZIP of Markdown, whose first lines look like YAML and are not, or a CSV. */
export const bear: Format = {
  name: "bear",
  brings: "a Bear blog, by its export in CSV or Markdown",
  recognises: async (source) => (await tableIn(source)) !== null || (await textsIn(source)).length > 0,
  async texts(source) {
    const table = await tableIn(source);
    return table === null ? await textsIn(source) : [table];
  },
  read,
};

async function* read(source: Source, { zone }: Reading): AsyncGenerator<Found> {
  const table = await tableIn(source);
  if (table) yield* inTable(source, table, zone);
  else
    for (const path of await textsIn(source)) {
      const { matter, content } = parts((await textIn(source, path)).replace(/\r\n?/g, "\n"));
      yield { item: itemOf(linesIn(matter), content, zone) };
    }
}

async function* inTable(source: Source, table: string, zone: string): AsyncGenerator<Found> {
  try {
    for await (const row of csvRows(source.bytes(table)))
      if (row) yield { item: itemOf(spelledAsInTexts(row), row.content ?? "", zone) };
      else yield { fault: { name: table, why: "a post in it is longer than any can be." } };
  } catch (fault) {
    if (!(fault instanceof CsvFault)) throw fault;
    yield { fault: { name: table, why: fault.message } };
  }
}

/** "---", the lines between, "---", the rest. */
function parts(text: string): { matter: string; content: string } {
  const start = text.indexOf("\n") + 1;
  const end = text.indexOf("\n---", start - 1);
  const after = text.indexOf("\n", end + 1);
  return { matter: text.slice(start, Math.max(start, end)), content: after < 0 ? "" : text.slice(after + 1) };
}

async function tableIn(source: Source): Promise<string | null> {
  for (const path of source.paths)
    if (endingOf(path) === "csv" && /^"?uid"?,"?title"?,"?slug"?/.test(await beginningOf(source, path, 200)))
      return path;
  return null;
}

async function textsIn(source: Source): Promise<string[]> {
  const found: string[] = [];
  for (const path of source.paths)
    if (
      endingOf(path) === "md" &&
      folderOf(path) === "" &&
      /^make_discoverable:/m.test(await beginningOf(source, path))
    )
      found.push(path);
  return found;
}

/** "published date" → "published_date"; its tags are JSON. */
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
  meta_image: "pictures that stand for a post elsewhere and are not in its text",
  canonical_url: "the address elsewhere that a post names as its original",
};

function itemOf(matter: FrontMatter, content: string, zone: string): ImportedItem {
  const slug = textNamed(matter, "slug");
  const title = textNamed(matter, "title");
  const at = timeIn(matter.published_date, zone) ?? timeIn(matter.first_published_at, zone);
  const isDraft = isNo(matter.publish);
  const lost = Object.entries(LOST).flatMap(([name, what]) => (textNamed(matter, name) ? [what] : []));
  return plainItem({
    key: textNamed(matter, "uid") || slug,
    name: title || slug,
    type: isYes(matter.is_page) ? "page" : "post",
    summary: textNamed(matter, "meta_description"),
    ...{ title, slug, lost, content: content.trim(), contentType: "markdown" },
    status: isDraft ? "draft" : "published",
    publishedAt: isDraft ? null : at,
    createdAt: at,
    formerAddresses: [`/${slug}/`, ...textsNamed(matter, ["alias"])],
    tags: textsNamed(matter, ["tags"]),
    base: "https://unknown.invalid/",
  });
}
