import { html, raw } from "../../../text/html";
import { isObject, parseJsonObject } from "../../../text/json";
import { type Fields, isYes, parseDate, textField, textOrEmpty } from "../items/dates-and-fields";
import {
  elementsWithClass,
  expandGalleries,
  figureHtml,
  findElements,
  type HtmlDocument,
  type HtmlElement,
  htmlToText,
  linkParagraph,
  parseHtml,
  playerHtml,
  replaceWithHtml,
  serializeHtml,
  tidyHtml,
  trimmedText,
} from "../items/html-content";
import type { ImportedItem, ImportFormat } from "../items/imported-item";
import { createItem, entryOrError, sourceFileUrl } from "../items/imported-item";
import { findFiles, parentFolder, readJson, SourceError } from "../sources/source-files";

/** Ghost's JSON export (Settings → Import/Export), alone or in an archive with `content/`. */
export const ghost: ImportFormat = {
  name: "ghost",
  find: (source) => findFiles(source, /^json$/, isExport),
  async *read(source, paths, { site }) {
    for (const path of paths) {
      const read = (await readJson(source, path)) as Fields;
      const { data } = (Array.isArray(read.db) ? read.db[0] : read) ?? {};
      if (!Array.isArray(data?.posts)) throw new SourceError(`${path} is not a Ghost export.`);
      const rowsIn = (table: string): Fields[] =>
        Array.isArray(data[table]) ? data[table].filter(isObject) : [];
      const tags = new Map(rowsIn("tags").map((tag) => [tag.id, tag]));
      const links = rowsIn("posts_tags").sort((a, b) => orderOf(a) - orderOf(b));
      const tagged = Map.groupBy(links, ({ post_id }) => post_id);
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

function isExport(beginning: string): boolean {
  return beginning.includes('"exported_on"') || beginning.replace(/\s/g, "").startsWith('{"db":');
}

const orderOf = (row: Fields) => Number(textField(row, "sort_order"));

function isPublic(tag: Fields): boolean {
  return textField(tag, "visibility") !== "internal" && !textField(tag, "name").startsWith("#");
}

function itemOf(post: Fields, meta: Fields, tags: Fields[], base: string, site: string | null): ImportedItem {
  const lost: string[] = [];
  const title = textField(post, "title");
  const slug = textField(post, "slug");
  const at = parseDate(post.published_at);
  const status = statusOf(post, lost);
  for (const [name, what] of Object.entries(LOST)) if (post[name]) lost.push(what);
  const address = textField(post, "feature_image");
  const caption = textField(meta, "feature_image_caption") || textField(post, "feature_image_caption");
  const alt = textField(meta, "feature_image_alt") || null;
  const featured = { address: atOwnAddress(address, site), alt, caption: htmlToText(caption) };
  return createItem({
    key: textField(post, "uuid", "id") || slug,
    name: title || slug || "Untitled post",
    type: textField(post, "type") === "page" || isYes(post.page) ? "page" : "post",
    ...{ title, slug, status, lost },
    summary: textField(post, "custom_excerpt"),
    pinned: isYes(post.featured),
    content: contentOf(post, lost, site),
    contentType: "html",
    ...{ at, createdAt: parseDate(post.created_at) ?? at },
    updatedAt: parseDate(post.updated_at),
    previousUrls: status === "draft" ? [] : [`/${slug}/`],
    tags: tags.map((tag) => textField(tag, "name")).filter(Boolean),
    base,
    featured: address === "" ? null : featured,
  });
}

const LOST = {
  canonical_url: "canonical URLs",
  codeinjection_head: "code injected into the page head",
  codeinjection_foot: "code injected into the page footer",
};

function statusOf(post: Fields, lost: string[]): ImportedItem["status"] {
  const status = textField(post, "status");
  if (status !== "published" && status !== "scheduled" && status !== "sent") return "draft";
  const isPublic = /^(?:public)?$/.test(textField(post, "visibility"));
  if (!isPublic) lost.push("members-only access: these posts are archived");
  return isPublic && status !== "sent" ? "published" : "archived";
}

/** Reads lexical or mobiledoc if Ghost exported the post without HTML. */
function contentOf(post: Fields, lost: string[], site: string | null): string {
  const published = textOrEmpty(post.html);
  if (published === "") {
    if (post.lexical || post.mobiledoc)
      lost.push("some formatting of posts that Ghost exported without HTML");
    const words = ghostDraftHtml(textOrEmpty(post.lexical), textOrEmpty(post.mobiledoc));
    if (words !== "") return tidyHtml(parseHtml(atOwnAddress(words, site)));
    const paragraphs = textOrEmpty(post.plaintext).split(/\n{2,}/);
    const lines = paragraphs.map((paragraph) => paragraph.trim()).filter(Boolean);
    return lines.map((line) => html`<p>${line}</p>`.markup).join("\n");
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

function replaceGhostCards(document: HtmlDocument, lost: string[]): void {
  expandGalleries(document, (classes) => classes.includes("kg-gallery-card"));
  for (const card of findElements(document, "figure", "div")) {
    const [, kind = ""] = /\bkg-([a-z]+)-card\b(?!-)/.exec(card.attribs.class ?? "") ?? [];
    const html = PLAIN[kind]?.(card);
    if (kind === "signup") lost.push("signup forms");
    if (html !== undefined) replaceWithHtml(card, html);
  }
}

const PLAIN: Record<string, (card: HtmlElement) => string> = {
  bookmark: bookmarkCard,
  file: (card) => linkLine(card, "kg-file-card-title"),
  audio: (card) => {
    const title = textOf(card, "kg-audio-title");
    return `${title && html`<p>${title}</p>`.markup}${playerIn(card, "audio")}`;
  },
  video: (card) => {
    const caption = trimmedText(findElements(card, "figcaption"));
    return figureHtml(raw(playerIn(card, "video")), caption);
  },
  callout: (card) => {
    const emoji = textOf(card, "kg-callout-emoji");
    const [content = ""] = elementsWithClass(card, "kg-callout-text").map(innerHtml);
    return html`<aside class="callout"><p>${emoji && `${emoji} `}${raw(content)}</p></aside>`.markup;
  },
  toggle: (card) => {
    const heading = textOf(card, "kg-toggle-heading-text");
    const content = elementsWithClass(card, "kg-toggle-content").map(innerHtml).join("\n");
    return html`<details><summary>${heading}</summary>${raw(content)}</details>`.markup;
  },
  signup: () => "",
};

/** Drops the picture, because it belongs to another site. */
function bookmarkCard(card: HtmlElement): string {
  const description = textOf(card, "kg-bookmark-description");
  const site = textOf(card, "kg-bookmark-publisher");
  return html`<div class="bookmark">${raw(linkLine(card, "kg-bookmark-title"))}${
    description && html`<p>${description}</p>`
  }${site && html`<p><cite>${site}</cite></p>`}</div>`.markup;
}

function linkLine(card: HtmlElement, titleClass: string): string {
  const address = findElements(card, "a")[0]?.attribs.href ?? "";
  return linkParagraph(address, textOf(card, titleClass));
}

function playerIn(card: HtmlElement, kind: "audio" | "video"): string {
  const address = findElements(card, kind)[0]?.attribs.src;
  return address ? playerHtml(kind, address) : "";
}

function textOf(card: HtmlElement, className: string): string {
  return trimmedText(elementsWithClass(card, className));
}

function innerHtml({ children }: HtmlElement): string {
  return serializeHtml(children).trim();
}

/** For a draft without HTML. Mobiledoc drafts lose their links and lists. */
function ghostDraftHtml(lexical: string, mobiledoc: string): string {
  const { root, sections, cards } = parseJsonObject(lexical) ?? parseJsonObject(mobiledoc) ?? {};
  const lines = isObject(root)
    ? nodesIn(root.children).map(blockHtml)
    : listIn(sections).map((section) => mobiledocHtml(section, listIn(cards)));
  return lines.filter((line) => line !== "").join("\n");
}

function blockHtml(node: Fields): string {
  const { type, tag, children } = node;
  if (type === "gallery") return nodesIn(node.images).map(figure).filter(Boolean).join("\n");
  if (type === "horizontalrule") return "<hr>";
  if (children === undefined) return figure(node) || cardTexts(node);
  const words = inlineHtml(node);
  if (type === "list" || words === "") return words;
  if (typeof tag === "string" && /^h[2-6]$/.test(tag)) return `<${tag}>${words}</${tag}>`;
  return type === "quote" ? `<blockquote><p>${words}</p></blockquote>` : `<p>${words}</p>`;
}

/** Bits of Lexical's `format`. */
const LOOKS = { strong: 1, em: 2, s: 4, code: 16 };

/** @throws RangeError if the nodes are nested too deeply */
function inlineHtml(node: Fields): string {
  const { type, tag, url, text } = node;
  if (typeof text === "string") {
    const looks = Object.entries(LOOKS).filter(([, bit]) => Number(node.format) & bit);
    return looks.reduce((words, [name]) => `<${name}>${words}</${name}>`, Bun.escapeHTML(text));
  }
  if (type === "linebreak") return "<br>";
  const parts = nodesIn(node.children).map(inlineHtml);
  if (type === "list") {
    const items = parts.map((part) => `<li>${part}</li>`).join("");
    return tag === "ol" ? `<ol>${items}</ol>` : `<ul>${items}</ul>`;
  }
  const words = parts.join("");
  return typeof url === "string" && words !== "" ? html`<a href="${url}">${raw(words)}</a>`.markup : words;
}

function figure({ src, alt, caption }: Fields): string {
  if (typeof src !== "string") return "";
  const below = textOrEmpty(caption);
  return figureHtml(html`<img src="${src}" alt="${String(alt ?? "")}">`, below && raw(below));
}

function cardTexts(node: Fields): string {
  const text = (name: string) => textOrEmpty(node[name]);
  if (text("code") !== "") return html`<pre><code>${text("code")}</code></pre>`.markup;
  const address = text("url") || text("buttonUrl");
  if (address !== "") return linkParagraph(address, text("buttonText"));
  const parts = [text("calloutText"), text("heading"), text("content"), Bun.escapeHTML(text("markdown"))];
  const paragraphs = parts.filter(Boolean).map((part) => (part.startsWith("<p") ? part : `<p>${part}</p>`));
  return text("html") + paragraphs.join("\n");
}

/** Sections are `[1, "p", [[0, [], 0, "text"]]]`, lists `[3, "ul", [[[0, [], 0, "text"]]]]` and cards `[10, 0]`. */
function mobiledocHtml(section: unknown, cards: unknown[]): string {
  const [kind, card, marks] = listIn(section);
  if (kind === 10) {
    const [, fields] = listIn(cards[Number(card)]);
    return isObject(fields) ? blockHtml(fields) : "";
  }
  const paragraphs = kind === 3 ? listIn(marks) : [marks];
  const paragraphHtml = (paragraph: unknown) =>
    html`<p>${listIn(paragraph).map((mark) => String(listIn(mark)[3] ?? ""))}</p>`.markup;
  return paragraphs.map(paragraphHtml).join("\n");
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function nodesIn(value: unknown): Fields[] {
  return listIn(value).filter(isObject);
}
