import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { absolutizeProperties } from "../../posts/post/mf2-properties";
import { previewImage, type WholePost } from "../../posts/post/post";
import { oldSlugsOf } from "../../posts/storage/slugs-and-permanent-ids";
import { excerptOf } from "../../posts/storage/stored-posts";
import { translationKey } from "../../posts/storage/translations";
import { exportFlags } from "../import/items/dates-and-fields";
import { countPost, type ExportContext, type ExportFormat, tryOrReport, writeJsonLines } from "./export-blog";
import type { StoredRevision } from "./exported-posts-and-media";
import { eachPost, eachRevision, linkMedia, listKomments, writeMediaFiles } from "./exported-posts-and-media";
import { kommentLine, writeMessagesFile, writeSettingsFile } from "./platen-archive";

const mediaAddress = ({ filename }: StoredBlob) => `../media/${encodeURIComponent(filename)}`;

export const markdownExport: ExportFormat = {
  name: "markdown",
  isArchive: false,
  async write(context) {
    const { platen, blog } = context;
    await writeSettingsFile(context, blog.updatedAt);
    for (const post of eachPost(platen, blog)) {
      await tryOrReport(context, post.title || post.slug, () => writePost(context, post));
      await context.step();
    }
    await writeMessagesFile(context, blog.updatedAt);
    await writeMediaFiles(context);
  },
};

async function writePost(context: ExportContext, post: WholePost): Promise<void> {
  const { platen, out, report } = context;
  const { slug, type, sourceType, updatedAt } = post;
  const text = postFrontMatter(platen, post) + linkMedia(platen, post, mediaAddress);
  await out.text(`${type}s/${slug}.${sourceType === "markdown" ? "md" : "html"}`, updatedAt, text);
  countPost(report, post);
  const komments = listKomments(platen, post.id).map(kommentLine);
  report.komments += await writeJsonLines(context, `komments/${slug}.jsonl`, updatedAt, komments);
  const revisions = eachRevision(platen, post.id).map((revision) => revisionLine(platen, post, revision));
  report.revisions += await writeJsonLines(context, `revisions/${slug}.jsonl`, updatedAt, revisions);
}

/** Omits ids, which are meaningless elsewhere, and the secret of the share link. */
function revisionLine(platen: Platen, { blogId }: WholePost, { fields, replacedAt }: StoredRevision) {
  const { title, slug, type, status, source, sourceType, category, tags, publishedAt, updatedAt } = fields;
  const { altText = {}, previewImage, replacedBy } = fields;
  const content =
    source !== undefined && sourceType !== undefined
      ? linkMedia(platen, { source, sourceType, altText, blogId }, mediaAddress)
      : undefined;
  return {
    ...{ replaced_at: replacedAt, replaced_by: replacedBy, title, slug, type, status, category, tags },
    ...{ date: publishedAt, updated: updatedAt, alt_text: altText, preview_image: previewImage },
    ...{ summary: fields.summary ?? undefined, series: fields.series ?? undefined },
    lang: fields.language ?? undefined,
    ...exportFlags(fields),
    ...{ content_type: content && sourceType, content },
  };
}

/**
 * src/transfer/import/markdown/posts-exported-by-platen.ts reads these fields. Most fields that Hugo, Jekyll or
 * Eleventy know have the names that these programs use.
 */
function postFrontMatter(platen: Platen, post: WholePost): string {
  const { title, slug, status, type, category, attachments } = post;
  const shown = previewImage(post);
  const captions = attachments
    .map(({ blob }) => [blob.filename, blob.caption])
    .filter(([, caption]) => caption);
  const fields: Record<string, unknown> = {
    ...{ generator: "Platen", title, slug, date: post.publishedAt },
    ...{
      created: post.createdAt,
      updated: post.updatedAt,
      status,
      draft: status !== "published" || null,
      type,
    },
    categories: category && [category.name],
    tags: post.tags,
    description: post.summary ?? (excerptOf(platen, post) || null),
    ...{ summary: post.summary, series: post.series, lang: post.language },
    translationKey: translationKey(platen, post),
    aliases: oldSlugsOf(platen, post).map(formerAddress),
    image: shown && mediaAddress(shown),
    preview_image: post.previewImage,
    alt_text: { ...Object.fromEntries(captions), ...post.altText },
    ...exportFlags(post),
    shared: post.shareId !== null || null,
    microformats: absolutizeProperties(post.properties, platen.config.url),
  };
  const lines = Object.entries(fields)
    .filter(([, value]) => isSet(value))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n`;
}

/** False for null, undefined, and empty lists and objects. */
function isSet(value: unknown): boolean {
  const isEmpty =
    typeof value === "object" && !(value instanceof Date) && Object.keys(value ?? {}).length === 0;
  return value !== undefined && !isEmpty;
}

function formerAddress(path: string): string {
  return `/${path.startsWith("?") ? path : path.split("/").map(encodeURIComponent).join("/")}`;
}
