import { DomUtils } from "htmlparser2";
import { percentDecoded } from "../../../text/clean-text";
import { html } from "../../../text/html";
import { findElements, htmlToText, parseHtml, tidyHtml } from "../content/html-content";
import { replaceSubstackEmbeds } from "../content/substack-embeds";
import { parseDate } from "../items/dates";
import { createItem, entryOrError, type ImportEntry, type ImportedItem } from "../items/imported-item";
import { isYes } from "../markdown/front-matter";
import { readCsv, readText, type Source } from "../sources/source";
import type { ImportFormat, ReadOptions } from "./format";

/** Substack's export: `posts.csv` and HTML files. Its subscriber lists are never read. */
export const substack: ImportFormat = {
  name: "substack",
  find: ({ has, paths }) =>
    has("posts.csv") ? paths.filter((path) => /^posts\/\d+\.[^/]*\.html$/.test(path)) : [],
  read: readSubstack,
};

async function* readSubstack(
  source: Source,
  paths: string[],
  { zone, site }: ReadOptions,
): AsyncGenerator<ImportEntry> {
  const left = new Set(paths);
  for (const row of await readCsv(source, "posts.csv")) {
    const path = `posts/${row.post_id}.html`;
    left.delete(path);
    yield await entryOrError(path, async () => {
      const text = source.has(path) ? await readText(source, path) : null;
      return { item: itemOf(row, text, zone, site) };
    });
  }
  for (const path of left) yield { error: { name: path, why: "not listed in posts.csv; skipped." } };
}

/** @param text the post's HTML; null if the export does not contain it */
function itemOf(
  row: Record<string, string>,
  text: string | null,
  zone: string,
  site: string | null,
): ImportedItem {
  const { post_id: id = "", title = "", subtitle = "", audience = "", type = "" } = row;
  const slug = id.slice(id.indexOf(".") + 1);
  const lost: string[] = [];
  const isDraft = !isYes(row.is_published);
  const isForSome = !isDraft && /^(?:only_paid|founding|only_free)$/.test(audience);
  if (isForSome)
    lost.push(
      `access for ${audience === "only_free" ? "subscribers" : "paying readers"} only: these posts are archived`,
    );
  if (type === "podcast" || row.podcast_url) lost.push("podcast audio, which stays at its URL");
  if (text === null) lost.push("post content: the export holds only the titles");
  const at = parseDate(row.post_date, zone);
  return createItem({
    key: id,
    name: htmlToText(title) || id,
    type: type === "page" ? "page" : "post",
    ...{ title: htmlToText(title), slug, lost },
    content: contentOf(text ?? "", htmlToText(subtitle), row.podcast_url ?? "", (what) => lost.push(what)),
    contentType: "html",
    status: isDraft ? "draft" : isForSome ? "archived" : "published",
    publishedAt: isDraft ? null : at,
    createdAt: at,
    previousUrls: isDraft ? [] : [`/p/${slug}`],
    base: site ?? "https://substack.com/",
  });
}

function contentOf(text: string, subtitle: string, podcast: string, lost: (what: string) => void): string {
  const document = parseHtml(text);
  for (const button of DomUtils.getElementsByClassName(USELESS, document)) DomUtils.removeElement(button);
  replaceSubstackEmbeds(document, lost);
  for (const image of findElements(document, "img")) image.attribs.src = originalOf(image.attribs.src ?? "");
  for (const link of findElements(document, "a")) link.attribs.href = originalOf(link.attribs.href ?? "");
  for (const widget of findElements(document, "source")) DomUtils.removeElement(widget);
  const above = [
    subtitle && html`<p><em>${subtitle}</em></p>`.markup,
    podcast && html`<audio src="${podcast}" controls></audio>`.markup,
  ].filter(Boolean);
  return [...above, tidyHtml(document)].join("\n");
}

/** Subscribe and share buttons, the paywall marker, and text for screen readers. */
const USELESS = (classes: string) =>
  /subscription-widget|button-wrapper|paywall-jump|image-link-expand|captioned-button|hide-text/.test(
    classes,
  );

/** "https://substackcdn.com/image/fetch/…/https%3A%2F%2F…jpeg" → the original upload. */
function originalOf(address: string): string {
  const at = address.startsWith("https://substackcdn.com/image/fetch/") ? address.search(/https?%3A/i) : -1;
  if (at < 0) return address;
  const original = percentDecoded(address.slice(at)) ?? address;
  return original.replace(
    /^https:\/\/bucketeer-[\w-]{1,80}\.s3\.amazonaws\.com\//,
    "https://substack-post-media.s3.amazonaws.com/",
  );
}
