import { html } from "../../../text/html";
import { plainCards } from "../content/ghost-cards";
import { wordsOfDraft } from "../content/ghost-lexical";
import { documentOf, outerHtml, tidyHtml, wordsIn } from "../content/html-content";
import { timeIn } from "../items/dates";
import {
  addressInSource,
  type Found,
  type ImportedItem,
  orFault,
  plainItem,
  unreadable,
} from "../items/imported-item";
import { isYes, textNamed } from "../markdown/front-matter";
import { JsonFault, type JsonFound, jsonObjects } from "../sources/json-reader";
import { beginningOf, endingOf, folderOf, type Source } from "../sources/source";
import type { Format, Reading } from "./format";

/** Ghost's own export (Settings → Import/Export), its JSON alone or in an archive with the folder `content/`. */
export const ghost: Format = {
  name: "ghost",
  brings: "a Ghost, by the JSON file it exports, or a ZIP of that with content/images",
  recognises: async (source) => (await exportsIn(source)).length > 0,
  texts: async (source) => [...(await exportsIn(source)), ...(await exportsIn(source))],
  read,
};

/** Stands for the site's own address. */
const OWN_ADDRESS = "__GHOST_URL__";

type Row = Record<string, unknown>;

/** Twice: what belongs to posts may come after them. */
async function* read(source: Source, { site }: Reading): AsyncGenerator<Found> {
  for (const path of await exportsIn(source)) {
    const base = site ?? addressInSource(folderOf(path) === "" ? "" : `${folderOf(path)}/`);
    const belongings = await belongingsIn(source, path);
    let isGhosts = false;
    try {
      for await (const { found } of rowsIn(source, path, ["posts"])) {
        isGhosts = true;
        if ("begins" in found) continue;
        const { row } = found;
        if (!row) yield { fault: unreadable(found, path, "a post in it") };
        else yield await orFault(textNamed(row, "title", "slug"), () => postIn(row, belongings, base, site));
      }
    } catch (fault) {
      if (!(fault instanceof JsonFault)) throw fault;
      if (isGhosts) yield { fault: { name: path, why: fault.message } };
    }
    if (!isGhosts) yield { fault: { name: path, why: "it is no JSON that Ghost exports." } };
  }
}

async function exportsIn(source: Source): Promise<string[]> {
  const found: string[] = [];
  for (const path of source.paths)
    if (endingOf(path) === "json" && looksLikeExport(await beginningOf(source, path))) found.push(path);
  return found;
}

function looksLikeExport(beginning: string): boolean {
  return beginning.includes('"exported_on"') || beginning.replace(/\s/g, "").startsWith('{"db":');
}

/** What an export has of posts besides them, by their ids. */
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
  } catch (fault) {
    // The second reading tells of it.
    if (!(fault instanceof JsonFault)) throw fault;
  }
  return all;
}

/** Of these tables. */
async function* rowsIn(
  source: Source,
  path: string,
  tables: string[],
): AsyncGenerator<{ table: string; found: JsonFound }> {
  const tableAt = (array: string) => /^(?:db\.0\.)?data\.(\w{1,60})$/.exec(array)?.[1] ?? "";
  for await (const found of jsonObjects(source.bytes(path), (array) => tables.includes(tableAt(array))))
    yield { table: tableAt(found.path), found };
}

function postIn(post: Row, { tags, tagged, metas }: Belongings, base: string, site: string | null): Found {
  const inOrder = (tagged.get(post.id) ?? []).sort(
    (a, b) => Number(a.sort_order ?? 0) - Number(b.sort_order ?? 0),
  );
  const named = inOrder.map(({ tag_id }) => tags.get(tag_id)).filter((tag) => tag !== undefined);
  return { item: itemOf(post, metas.get(post.id) ?? {}, named.filter(isPublic), base, site) };
}

/** Those that begin with "#" are Ghost's own marks. */
function isPublic(tag: Row): boolean {
  return textNamed(tag, "visibility") !== "internal" && !textNamed(tag, "name").startsWith("#");
}

function itemOf(post: Row, meta: Row, tags: Row[], base: string, site: string | null): ImportedItem {
  const lost: string[] = [];
  const title = textNamed(post, "title");
  const slug = textNamed(post, "slug");
  const at = timeIn(post.published_at, "UTC");
  const status = statusOf(post, lost);
  for (const [name, what] of Object.entries(LOST)) if (post[name]) lost.push(what);
  const featured = textNamed(post, "feature_image");
  const caption = textNamed(meta, "feature_image_caption") || textNamed(post, "feature_image_caption");
  return plainItem({
    key: textNamed(post, "uuid", "id") || slug,
    name: title || slug || "A post without a name",
    type: textNamed(post, "type") === "page" || isYes(post.page) ? "page" : "post",
    ...{ title, slug, status, lost },
    summary: textNamed(post, "custom_excerpt"),
    pinned: isYes(post.featured),
    content: contentOf(post, lost, site),
    contentType: "html",
    publishedAt: status === "draft" ? null : at,
    createdAt: timeIn(post.created_at, "UTC") ?? at,
    updatedAt: timeIn(post.updated_at, "UTC"),
    formerAddresses: status === "draft" ? [] : [`/${slug}/`],
    tags: tags.map((tag) => textNamed(tag, "name")).filter(Boolean),
    base,
    featured: featured
      ? {
          address: atOwnAddress(featured, site),
          alt: textNamed(meta, "feature_image_alt") || null,
          caption: wordsIn(caption),
        }
      : null,
  });
}

const LOST = {
  canonical_url: "the address elsewhere that a post names as its original",
  codeinjection_head: "code of a post's own in the page's head",
  codeinjection_foot: "code of a post's own below the page",
};

/** What only members could read, or was mail alone, readers do not come to see here. */
function statusOf(post: Row, lost: string[]): ImportedItem["status"] {
  const status = textNamed(post, "status");
  if (status !== "published" && status !== "scheduled" && status !== "sent") return "draft";
  const isPublic = /^(?:public)?$/.test(textNamed(post, "visibility"));
  if (!isPublic) lost.push("that a post is for members: it is archived instead");
  return isPublic && status !== "sent" ? "published" : "archived";
}

/** A draft that was never shown has no HTML yet. */
function contentOf(post: Row, lost: string[], site: string | null): string {
  const written = typeof post.html === "string" ? post.html : "";
  if (written === "") {
    const plain = typeof post.plaintext === "string" ? post.plaintext : "";
    if (post.lexical || post.mobiledoc)
      lost.push("some of the look of drafts that Ghost has never shown: their words come");
    const words = wordsOfDraft(post.lexical, post.mobiledoc);
    if (words !== "") return tidyHtml(documentOf(atOwnAddress(words, site)));
    return plain
      .split(/\n{2,}/)
      .filter((part) => part.trim() !== "")
      .map((part) => html`<p>${part.trim()}</p>`.markup)
      .join("\n");
  }
  const document = documentOf(atOwnAddress(written, site));
  plainCards(document, (what) => lost.push(what));
  if (!site && /"\/content\/(?:files|media)\//.test(outerHtml(document.children)))
    lost.push("where files and sounds are, which stay at the Ghost: --site says its address");
  return tidyHtml(document);
}

/** Links to texts lead on from their paths; files stay where they are. A smaller size of a picture is the whole one. */
function atOwnAddress(text: string, site: string | null): string {
  return text
    .replaceAll(`${OWN_ADDRESS}/content/`, `${site ?? "/"}content/`)
    .replaceAll(`${OWN_ADDRESS}/`, "/")
    .replaceAll(OWN_ADDRESS, "/")
    .replace(/\/content\/images\/size\/w\d{1,5}(?:h\d{1,5})?\//g, "/content/images/");
}
