import { dirname, join } from "node:path";
import type { ImportedMessage } from "../../../messages/importing-messages";
import { isObject, parseJsonObject } from "../../../text/json";
import { parseFlags } from "../../post-flags";
import { parseDate } from "../items/dates";
import {
  dateOrNull,
  listFields,
  parseKommentLine,
  parseMessageLine,
  textFields,
} from "../items/exported-lines";
import { createItem, type ImportedItem, type PreviousVersion, sourceFileUrl } from "../items/imported-item";
import { fileExtension, readText, type Source, SourceError } from "../sources/source";
import { type FrontMatter, textField, textListField } from "./front-matter";

export function isPlatenExport(matter: FrontMatter | null): matter is FrontMatter {
  return matter?.generator === "Platen";
}

export async function readPlatenItem(
  source: Source,
  path: string,
  matter: FrontMatter,
  body: string,
): Promise<ImportedItem> {
  const slug = textField(matter, "slug");
  const [category = null] = listIn(matter.categories);
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
    status: statusIn(matter),
    publishedAt: parseDate(matter.date, "UTC"),
    createdAt: parseDate(matter.created, "UTC"),
    updatedAt: parseDate(matter.updated, "UTC"),
    slug,
    previousUrls: [`/${slug}/`, ...textListField(matter, ["aliases"])],
    category,
    tags: listIn(matter.tags),
    language: textField(matter, "lang") || null,
    translationKey: textField(matter, "translationkey") || null,
    ...{ komments, previousVersions, lost },
    base: sourceFileUrl(path),
    own: {
      series: textField(matter, "series") || null,
      altText: textFields(matter.alt_text),
      previewImage: textField(matter, "preview_image") || null,
      ...parseFlags(matter),
      isShared: matter.shared === true,
      properties: listFields(matter.microformats),
    },
  });
}

/** Unlike `textListField`, does not split a text or trim names. */
function listIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one !== "object").map(String) : [];
}

export async function readPlatenMessages(source: Source): Promise<ImportedMessage[]> {
  if (!source.has("blog.json")) return [];
  return await readLines(source, "messages.jsonl", datedLine(parseMessageLine));
}

function statusIn({ status }: FrontMatter): ImportedItem["status"] {
  return status === "published" || status === "archived" ? status : "draft";
}

function datedLine<Parsed>(parse: (line: FrontMatter, at: Date) => Parsed) {
  return (line: FrontMatter) => (dateOrNull(line.at) ? parse(line, new Date(0)) : null);
}

async function readLines<Read>(
  source: Source,
  file: string,
  read: (line: FrontMatter) => Read | null,
): Promise<Read[]> {
  if (!source.has(file)) return [];
  const lines = (await readText(source, file)).split("\n").filter(Boolean);
  const parsed = lines.map(parseJsonObject).filter((line) => line !== null);
  return parsed.map(read).filter((one) => one !== null);
}

function parseVersion(line: FrontMatter): PreviousVersion | null {
  const [replacedAt, updatedAt] = [parseDate(line.replaced_at, "UTC"), parseDate(line.updated, "UTC")];
  if (!replacedAt || !updatedAt) return null;
  const { content, replaced_by } = line;
  const contentType = line.content_type === "markdown" ? "markdown" : "html";
  return {
    replacedAt,
    fields: {
      ...{ title: textField(line, "title"), slug: textField(line, "slug"), updatedAt },
      type: line.type === "page" ? "page" : "post",
      status: statusIn(line),
      category: textField(line, "category") || null,
      tags: listIn(line.tags),
      publishedAt: parseDate(line.date, "UTC"),
      altText: textFields(line.alt_text),
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
