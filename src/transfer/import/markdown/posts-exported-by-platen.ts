import { dirname, join } from "node:path";
import type { ImportedMessage } from "../../../messages";
import { isObject, parseJsonObject } from "../../../text/json";
import { parseKommentLine, parseMessageLine } from "../archive/archive-reader";
import {
  listsByName,
  parseDate,
  parseFlags,
  parseStatus,
  textField,
  textList,
  textListField,
  textsByName,
} from "../items/dates-and-fields";
import { createItem, type PreviousVersion, sourceFileUrl } from "../items/imported-item";
import { fileExtension, readText, type Source, SourceError } from "../sources/source-files";
import type { FrontMatter } from "./front-matter";

export function isPlatenExport(matter: FrontMatter | null): matter is FrontMatter {
  return matter?.generator === "Platen";
}

export async function readPlatenItem(source: Source, path: string, matter: FrontMatter, body: string) {
  const slug = textField(matter, "slug");
  const [category = null] = textList(matter.categories);
  const lost: string[] = [];
  const top = dirname(dirname(path));
  const komments = await readLines(source, join(top, `komments/${slug}.jsonl`), datedLine(parseKommentLine));
  const revisions = readLines(source, join(top, `revisions/${slug}.jsonl`), parseVersion);
  const previousVersions = await revisions.catch((error) => {
    if (!(error instanceof SourceError)) throw error;
    lost.push("revisions that are too large to read");
    return [];
  });
  return createItem({
    key: `${path} ${textField(matter, "created")}`,
    name: path,
    type: matter.type === "page" ? "page" : "post",
    title: textField(matter, "title"),
    summary: textField(matter, "summary"),
    ...parseFlags(matter),
    content: body,
    contentType: fileExtension(path) === "html" ? "html" : "markdown",
    status: parseStatus(matter),
    publishedAt: parseDate(matter.date),
    createdAt: parseDate(matter.created),
    updatedAt: parseDate(matter.updated),
    slug,
    previousUrls: [`/${slug}/`, ...textListField(matter, ["aliases"])],
    category,
    tags: textList(matter.tags),
    language: textField(matter, "lang") || null,
    translationKey: textField(matter, "translationkey") || null,
    ...{ komments, previousVersions, lost },
    base: sourceFileUrl(path),
    own: {
      series: textField(matter, "series") || null,
      altText: textsByName(matter.alt_text),
      previewImage: textField(matter, "preview_image") || null,
      ...parseFlags(matter),
      isShared: matter.shared === true,
      properties: listsByName(matter.microformats),
    },
  });
}

export async function readPlatenMessages(source: Source): Promise<ImportedMessage[]> {
  if (!source.has("blog.json")) return [];
  return await readLines(source, "messages.jsonl", datedLine(parseMessageLine));
}

function datedLine<Parsed>(parse: (line: FrontMatter, at: Date) => Parsed) {
  return (line: FrontMatter) => (parseDate(line.at) ? parse(line, new Date(0)) : null);
}

async function readLines<Read>(source: Source, file: string, read: (line: FrontMatter) => Read | null) {
  if (!source.has(file)) return [];
  const lines = (await readText(source, file)).split("\n").filter(Boolean);
  const parsed = lines.map(parseJsonObject).filter((line) => line !== null);
  return parsed.map(read).filter((one) => one !== null);
}

function parseVersion(line: FrontMatter): PreviousVersion | null {
  const [replacedAt, updatedAt] = [parseDate(line.replaced_at), parseDate(line.updated)];
  if (!replacedAt || !updatedAt) return null;
  const { content, replaced_by } = line;
  const contentType = line.content_type === "markdown" ? "markdown" : "html";
  return {
    replacedAt,
    fields: {
      ...{ title: textField(line, "title"), slug: textField(line, "slug"), updatedAt },
      type: line.type === "page" ? "page" : "post",
      status: parseStatus(line),
      category: textField(line, "category") || null,
      tags: textList(line.tags),
      publishedAt: parseDate(line.date),
      altText: textsByName(line.alt_text),
      previewImage: textField(line, "preview_image") || null,
      replacedBy: isObject(replaced_by)
        ? { name: textField(replaced_by, "name"), app: textField(replaced_by, "app") || null }
        : null,
      ...{ summary: textField(line, "summary") || null, series: textField(line, "series") || null },
      ...{ language: textField(line, "lang") || null, ...parseFlags(line) },
    },
    source: typeof content === "string" ? { content, contentType } : null,
  };
}
