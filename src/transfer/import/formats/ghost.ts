import { html } from "../../../text/html";
import { replaceGhostCards } from "../content/ghost-cards";
import { ghostDraftHtml } from "../content/ghost-lexical";
import { htmlToText, parseHtml, serializeHtml, tidyHtml } from "../content/html-content";
import { parseDate } from "../items/dates";
import {
  createItem,
  entryOrError,
  type ImportEntry,
  type ImportedItem,
  sourceFileUrl,
  unreadableJson,
} from "../items/imported-item";
import { isYes, textField } from "../markdown/front-matter";
import { type JsonEntry, JsonError, readJsonObjects } from "../sources/json-reader";
import { fileExtension, parentFolder, readBeginning, type Source } from "../sources/source";
import type { ImportFormat, ReadOptions } from "./format";

/** Ghost's JSON export (Settings → Import/Export), alone or in an archive with `content/`. */
export const ghost: ImportFormat = {
  name: "ghost",
  detects: async (source) => (await exportsIn(source)).length > 0,
  contentFiles: async (source) => [...(await exportsIn(source)), ...(await exportsIn(source))],
  read: readGhost,
};

/** Ghost's placeholder for the site's own URL. */
const OWN_ADDRESS = "__GHOST_URL__";

type Row = Record<string, unknown>;

/** Reads the file twice: tags and meta rows may follow the posts. */
async function* readGhost(source: Source, { site }: ReadOptions): AsyncGenerator<ImportEntry> {
  for (const path of await exportsIn(source)) {
    const base = site ?? sourceFileUrl(parentFolder(path) === "" ? "" : `${parentFolder(path)}/`);
    const belongings = await belongingsIn(source, path);
    let isGhosts = false;
    try {
      for await (const { found } of rowsIn(source, path, ["posts"])) {
        isGhosts = true;
        if ("begins" in found) continue;
        const { row } = found;
        if (!row) yield { error: unreadableJson(found, path, "a post in it") };
        else
          yield await entryOrError(textField(row, "title", "slug"), () =>
            postIn(row, belongings, base, site),
          );
      }
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (isGhosts) yield { error: { name: path, why: error.message } };
    }
    if (!isGhosts) yield { error: { name: path, why: "not a Ghost export." } };
  }
}

async function exportsIn(source: Source): Promise<string[]> {
  const found: string[] = [];
  for (const path of source.paths)
    if (fileExtension(path) === "json" && looksLikeExport(await readBeginning(source, path)))
      found.push(path);
  return found;
}

function looksLikeExport(beginning: string): boolean {
  return beginning.includes('"exported_on"') || beginning.replace(/\s/g, "").startsWith('{"db":');
}

interface Belongings {
  tags: Map<unknown, Row>;
  tagged: Map<unknown, Row[]>;
  metas: Map<unknown, Row>;
}

async function belongingsIn(source: Source, path: string): Promise<Belongings> {
  const all: Belongings = { tags: new Map(), tagged: new Map(), metas: new Map() };
  const { tags, tagged, metas } = all;
  try {
    for await (const { table, found } of rowsIn(source, path, ["tags", "posts_tags", "posts_meta"])) {
      const row = "row" in found ? found.row : null;
      if (!row) continue;
      const { id, name, visibility, post_id, tag_id, sort_order } = row;
      const { feature_image_alt, feature_image_caption } = row;
      if (table === "tags") tags.set(id, { name, visibility });
      else if (table === "posts_meta") metas.set(post_id, { feature_image_alt, feature_image_caption });
      else tagged.getOrInsertComputed(post_id, () => []).push({ tag_id, sort_order });
    }
  } catch (error) {
    // The second pass reports it.
    if (!(error instanceof JsonError)) throw error;
  }
  return all;
}

async function* rowsIn(
  source: Source,
  path: string,
  tables: string[],
): AsyncGenerator<{ table: string; found: JsonEntry }> {
  const tableAt = (array: string) => /^(?:db\.0\.)?data\.(\w{1,60})$/.exec(array)?.[1] ?? "";
  for await (const found of readJsonObjects(source.bytes(path), (array) => tables.includes(tableAt(array))))
    yield { table: tableAt(found.path), found };
}

function postIn(
  post: Row,
  { tags, tagged, metas }: Belongings,
  base: string,
  site: string | null,
): ImportEntry {
  const inOrder = (tagged.get(post.id) ?? []).sort(
    (a, b) => Number(a.sort_order ?? 0) - Number(b.sort_order ?? 0),
  );
  const named = inOrder.map(({ tag_id }) => tags.get(tag_id)).filter((tag) => tag !== undefined);
  return { item: itemOf(post, metas.get(post.id) ?? {}, named.filter(isPublic), base, site) };
}

/** Names of internal tags start with "#". */
function isPublic(tag: Row): boolean {
  return textField(tag, "visibility") !== "internal" && !textField(tag, "name").startsWith("#");
}

function itemOf(post: Row, meta: Row, tags: Row[], base: string, site: string | null): ImportedItem {
  const lost: string[] = [];
  const title = textField(post, "title");
  const slug = textField(post, "slug");
  const at = parseDate(post.published_at, "UTC");
  const status = statusOf(post, lost);
  for (const [name, what] of Object.entries(LOST)) if (post[name]) lost.push(what);
  const featured = textField(post, "feature_image");
  const caption = textField(meta, "feature_image_caption") || textField(post, "feature_image_caption");
  return createItem({
    key: textField(post, "uuid", "id") || slug,
    name: title || slug || "Untitled post",
    type: textField(post, "type") === "page" || isYes(post.page) ? "page" : "post",
    ...{ title, slug, status, lost },
    summary: textField(post, "custom_excerpt"),
    pinned: isYes(post.featured),
    content: contentOf(post, lost, site),
    contentType: "html",
    publishedAt: status === "draft" ? null : at,
    createdAt: parseDate(post.created_at, "UTC") ?? at,
    updatedAt: parseDate(post.updated_at, "UTC"),
    previousUrls: status === "draft" ? [] : [`/${slug}/`],
    tags: tags.map((tag) => textField(tag, "name")).filter(Boolean),
    base,
    featured: featured
      ? {
          address: atOwnAddress(featured, site),
          alt: textField(meta, "feature_image_alt") || null,
          caption: htmlToText(caption),
        }
      : null,
  });
}

const LOST = {
  canonical_url: "canonical URLs",
  codeinjection_head: "code injected into the page head",
  codeinjection_foot: "code injected into the page footer",
};

/** Members-only and e-mail-only posts become archived posts. */
function statusOf(post: Row, lost: string[]): ImportedItem["status"] {
  const status = textField(post, "status");
  if (status !== "published" && status !== "scheduled" && status !== "sent") return "draft";
  const isPublic = /^(?:public)?$/.test(textField(post, "visibility"));
  if (!isPublic) lost.push("members-only access: these posts are archived");
  return isPublic && status !== "sent" ? "published" : "archived";
}

/** A draft that was never published has no HTML yet. */
function contentOf(post: Row, lost: string[], site: string | null): string {
  const written = typeof post.html === "string" ? post.html : "";
  if (written === "") {
    const plain = typeof post.plaintext === "string" ? post.plaintext : "";
    if (post.lexical || post.mobiledoc) lost.push("some formatting of unpublished drafts");
    const words = ghostDraftHtml(post.lexical, post.mobiledoc);
    if (words !== "") return tidyHtml(parseHtml(atOwnAddress(words, site)));
    return plain
      .split(/\n{2,}/)
      .filter((part) => part.trim() !== "")
      .map((part) => html`<p>${part.trim()}</p>`.markup)
      .join("\n");
  }
  const document = parseHtml(atOwnAddress(written, site));
  replaceGhostCards(document, (what) => lost.push(what));
  if (!site && /"\/content\/(?:files|media)\//.test(serializeHtml(document.children)))
    lost.push("files and audio, which stay on the Ghost server: give its address with --site");
  return tidyHtml(document);
}

/** Makes internal links relative and replaces resized images with the originals. */
function atOwnAddress(text: string, site: string | null): string {
  return text
    .replaceAll(`${OWN_ADDRESS}/content/`, `${site ?? "/"}content/`)
    .replaceAll(`${OWN_ADDRESS}/`, "/")
    .replaceAll(OWN_ADDRESS, "/")
    .replace(/\/content\/images\/size\/w\d{1,5}(?:h\d{1,5})?\//g, "/content/images/");
}
