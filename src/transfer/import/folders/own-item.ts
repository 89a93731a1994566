import { dirname, join } from "node:path";
import type { FormerKomment } from "../../../komments/taking-over";
import type { Properties } from "../../../posts/post/mf2-properties";
import { timeIn } from "../items/former-times";
import { addressInSource, type ImportedItem, plainItem } from "../items/imported-item";
import { endingOf, type Source, textIn } from "../sources/source";
import { type FrontMatter, isObject, textNamed, textsNamed } from "./front-matter";

/** Has Platen written it (export/markdown/post-matter)? Then it is to be again what it was, and nothing is guessed. */
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
  return plainItem({
    key: `${path} ${textNamed(matter, "created")}`,
    name: path,
    type: matter.type === "page" ? "page" : "post",
    title: textNamed(matter, "title"),
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
    komments: await kommentsIn(source, path, slug),
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

/** Beside the folder that the text is in: "komments/tea.jsonl". */
async function kommentsIn(source: Source, path: string, slug: string): Promise<FormerKomment[]> {
  const file = join(dirname(dirname(path)), "komments", `${slug}.jsonl`);
  if (!source.has(file)) return [];
  const lines = (await textIn(source, file)).split("\n").filter(Boolean);
  return lines.map(kommentIn).filter((komment) => komment !== null);
}

function kommentIn(line: string): FormerKomment | null {
  const read: unknown = parsed(line);
  if (!isObject(read)) return null;
  const at = timeIn(read.at, "UTC");
  const answeredAt = isObject(read.answer) ? timeIn(read.answer.at, "UTC") : null;
  if (!at) return null;
  return {
    name: textNamed(read, "name"),
    address: textNamed(read, "address"),
    text: textNamed(read, "text"),
    status: read.status === "shown" || read.status === "waiting" ? read.status : "refused",
    at,
    ...(isObject(read.answer) &&
      answeredAt && { answer: { text: textNamed(read.answer, "text"), at: answeredAt } }),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
