import { dirname, join } from "node:path";
import type { ImportedKomment } from "../../../komments/importing-komments";
import type { ImportedMessage } from "../../../messages/importing-messages";
import type { Properties } from "../../../posts/post/mf2-properties";
import type { RevisionFields } from "../../../posts/revisions/revision-history";
import { timeIn } from "../items/dates";
import { addressInSource, type FormerVersion, type ImportedItem, plainItem } from "../items/imported-item";
import { endingOf, type Source, SourceFault, textIn } from "../sources/source";
import { type FrontMatter, isObject, textNamed, textsNamed } from "./front-matter";

/** Has Platen written it (export/formats/markdown-export)? Then it is to be again what it was, and nothing is guessed. */
export function isOwn(matter: FrontMatter | null): matter is FrontMatter {
  return matter?.generator === "Platen";
}

export async function ownItem(
  source: Source,
  path: string,
  matter: FrontMatter,
  body: string,
): Promise<ImportedItem> {
  const slug = textNamed(matter, "slug");
  const status = textNamed(matter, "status");
  const [category = null] = listIn(matter.categories);
  const lost: string[] = [];
  const former = linesIn(source, besides(path, `revisions/${slug}.jsonl`), versionIn);
  const formerVersions = await former.catch((fault) => {
    if (!(fault instanceof SourceFault)) throw fault;
    lost.push("former versions that are too long to be read together");
    return [];
  });
  return plainItem({
    key: `${path} ${textNamed(matter, "created")}`,
    name: path,
    type: matter.type === "page" ? "page" : "post",
    title: textNamed(matter, "title"),
    summary: textNamed(matter, "summary"),
    pinned: matter.pinned === true,
    content: body,
    contentType: endingOf(path) === "html" ? "html" : "markdown",
    status: status === "published" || status === "archived" ? status : "draft",
    publishedAt: timeIn(matter.date, "UTC"),
    createdAt: timeIn(matter.created, "UTC"),
    updatedAt: timeIn(matter.updated, "UTC"),
    slug,
    formerAddresses: [`/${slug}/`, ...textsNamed(matter, ["aliases"])],
    category,
    tags: listIn(matter.tags),
    hidden: matter.hidden === true,
    kommentsDisabled: matter.komments_disabled === true,
    komments: await linesIn(source, besides(path, `komments/${slug}.jsonl`), kommentIn),
    ...{ formerVersions, lost },
    base: addressInSource(path),
    own: {
      altText: textsIn(matter.alt_text),
      previewImage: textNamed(matter, "preview_image") || null,
      hideInRss: matter.hide_in_rss === true,
      noIndexNoFollow: matter.no_index_no_follow === true,
      showContactForm: matter.show_contact_form === true,
      skipArchive: matter.skip_archive === true,
      isShared: matter.shared === true,
      properties: propertiesIn(matter.microformats),
    },
  });
}

/** A name may hold commas and look like a number. */
function listIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function textsIn(value: unknown): Record<string, string> {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text ?? "")]))
    : {};
}

function propertiesIn(value: unknown): Properties {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(([, values]) => Array.isArray(values)),
  ) as Properties;
}

/** Those that a folder of Platen's holds, at its top. */
export async function ownMessages(source: Source): Promise<ImportedMessage[]> {
  return source.has("blog.json") ? await linesIn(source, "messages.jsonl", messageIn) : [];
}

/** "posts/tea.md", "komments/tea.jsonl" → that one, beside the folder of the text */
function besides(path: string, file: string): string {
  return join(dirname(dirname(path)), file);
}

/** What can be read of the file's lines; none where there is no such file. */
async function linesIn<Read>(
  source: Source,
  file: string,
  read: (line: FrontMatter) => Read | null,
): Promise<Read[]> {
  if (!source.has(file)) return [];
  const lines = (await textIn(source, file)).split("\n").filter(Boolean);
  return lines
    .map(parsed)
    .map((line) => (isObject(line) ? read(line) : null))
    .filter((one) => one !== null);
}

function kommentIn(line: FrontMatter): ImportedKomment | null {
  const at = timeIn(line.at, "UTC");
  const answeredAt = isObject(line.answer) ? timeIn(line.answer.at, "UTC") : null;
  if (!at) return null;
  return {
    name: textNamed(line, "name"),
    address: textNamed(line, "address"),
    text: textNamed(line, "text"),
    status: line.status === "shown" || line.status === "waiting" ? line.status : "refused",
    at,
    ...(isObject(line.answer) &&
      answeredAt && { answer: { text: textNamed(line.answer, "text"), at: answeredAt } }),
  };
}

function messageIn(line: FrontMatter): ImportedMessage | null {
  const at = timeIn(line.at, "UTC");
  if (!at) return null;
  return {
    name: textNamed(line, "name"),
    address: textNamed(line, "address"),
    text: textNamed(line, "text"),
    status: line.status === "read" || line.status === "refused" ? line.status : "waiting",
    ...{ at, page: textNamed(line, "page") },
  };
}

function versionIn(line: FrontMatter): FormerVersion | null {
  const [replacedAt, updatedAt] = [timeIn(line.replaced_at, "UTC"), timeIn(line.updated, "UTC")];
  if (!replacedAt || !updatedAt) return null;
  const { content, status } = line;
  return {
    replacedAt,
    fields: {
      ...{ title: textNamed(line, "title"), slug: textNamed(line, "slug"), updatedAt },
      type: line.type === "page" ? "page" : "post",
      status: status === "published" || status === "archived" ? status : "draft",
      category: textNamed(line, "category") || null,
      tags: listIn(line.tags),
      publishedAt: timeIn(line.date, "UTC"),
      altText: textsIn(line.alt_text),
      previewImage: textNamed(line, "preview_image") || null,
      replacedBy: replacerIn(line.replaced_by),
      ...{ summary: textNamed(line, "summary") || null, pinned: line.pinned === true },
      ...{ hidden: line.hidden === true, hideInRss: line.hide_in_rss === true },
      ...{ noIndexNoFollow: line.no_index_no_follow === true, skipArchive: line.skip_archive === true },
      showContactForm: line.show_contact_form === true,
      kommentsDisabled: line.komments_disabled === true,
    },
    said:
      typeof content === "string"
        ? { content, contentType: line.content_type === "markdown" ? "markdown" : "html" }
        : null,
  };
}

function replacerIn(value: unknown): RevisionFields["replacedBy"] {
  return isObject(value) ? { name: textNamed(value, "name"), app: textNamed(value, "app") || null } : null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
