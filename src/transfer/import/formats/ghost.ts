import { html } from "../../../text/html";
import { isObject } from "../../../text/json";
import { replaceGhostCards } from "../content/ghost-cards";
import { ghostDraftHtml } from "../content/ghost-lexical";
import { htmlToText, parseHtml, serializeHtml, tidyHtml } from "../content/html-content";
import { parseDate } from "../items/dates";
import { createItem, entryOrError, type ImportedItem, sourceFileUrl } from "../items/imported-item";
import { isYes, textField } from "../markdown/front-matter";
import { findFiles, parentFolder, readJson, SourceError } from "../sources/source";
import type { ImportFormat } from "./format";

/** Ghost's JSON export (Settings → Import/Export), alone or in an archive with `content/`. */
export const ghost: ImportFormat = {
  name: "ghost",
  find: (source) =>
    findFiles(
      source,
      /^json$/,
      (text) => text.includes('"exported_on"') || text.replace(/\s/g, "").startsWith('{"db":'),
    ),
  async *read(source, paths, { site }) {
    for (const path of paths) {
      const read = (await readJson(source, path)) as Row;
      const { data } = (Array.isArray(read.db) ? read.db[0] : read) ?? {};
      if (!Array.isArray(data?.posts)) throw new SourceError(`${path} is not a Ghost export.`);
      const rowsIn = (table: string): Row[] =>
        Array.isArray(data[table]) ? data[table].filter(isObject) : [];
      const tags = new Map(rowsIn("tags").map((tag) => [tag.id, tag]));
      const tagged = Map.groupBy(
        rowsIn("posts_tags").sort((a, b) => orderOf(a) - orderOf(b)),
        ({ post_id }) => post_id,
      );
      const metas = new Map(rowsIn("posts_meta").map((meta) => [meta.post_id, meta]));
      const base = site ?? sourceFileUrl(parentFolder(path) === "" ? "" : `${parentFolder(path)}/`);
      for (const post of rowsIn("posts"))
        yield await entryOrError(textField(post, "title", "slug"), () => {
          const postTags = (tagged.get(post.id) ?? []).map(({ tag_id }) => tags.get(tag_id) ?? {});
          return { item: itemOf(post, metas.get(post.id) ?? {}, postTags.filter(isPublic), base, site) };
        });
    }
  },
};

type Row = Record<string, unknown>;

const orderOf = (row: Row) => Number(textField(row, "sort_order"));

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
    ...{ at, createdAt: parseDate(post.created_at, "UTC") ?? at },
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

function statusOf(post: Row, lost: string[]): ImportedItem["status"] {
  const status = textField(post, "status");
  if (status !== "published" && status !== "scheduled" && status !== "sent") return "draft";
  const isPublic = /^(?:public)?$/.test(textField(post, "visibility"));
  if (!isPublic) lost.push("members-only access: these posts are archived");
  return isPublic && status !== "sent" ? "published" : "archived";
}

/** Reads lexical or mobiledoc if Ghost exported the post without HTML. */
function contentOf(post: Row, lost: string[], site: string | null): string {
  const published = typeof post.html === "string" ? post.html : "";
  if (published === "") {
    const plain = typeof post.plaintext === "string" ? post.plaintext : "";
    if (post.lexical || post.mobiledoc)
      lost.push("some formatting of posts that Ghost exported without HTML");
    const words = ghostDraftHtml(post.lexical, post.mobiledoc);
    if (words !== "") return tidyHtml(parseHtml(atOwnAddress(words, site)));
    const paragraphs = plain.split(/\n{2,}/).map((paragraph) => paragraph.trim());
    return paragraphs
      .filter(Boolean)
      .map((paragraph) => html`<p>${paragraph}</p>`.markup)
      .join("\n");
  }
  const document = parseHtml(atOwnAddress(published, site));
  replaceGhostCards(document, lost);
  if (!site && /"\/content\/(?:files|media)\//.test(serializeHtml(document.children)))
    lost.push("files and audio, which stay on the Ghost server: pass the address of this server with --site");
  return tidyHtml(document);
}

/**
 * With `site`, links to files lead to the old server. Other internal links become relative. Original images
 * replace resized ones.
 */
function atOwnAddress(text: string, site: string | null): string {
  return text
    .replaceAll("__GHOST_URL__/content/", `${site ?? "/"}content/`)
    .replace(/__GHOST_URL__\/?/g, "/")
    .replace(/\/content\/images\/size\/w\d{1,5}(?:h\d{1,5})?\//g, "/content/images/");
}
