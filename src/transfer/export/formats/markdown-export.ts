import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import { previewImage, type WholePost } from "../../../posts/post/post";
import { oldSlugsOf } from "../../../posts/storage/slugs";
import { excerptOf } from "../../../posts/storage/stored-posts";
import { translationKey } from "../../../posts/storage/translations";
import { exportFlags } from "../../post-flags";
import {
  countPost,
  type ExportContext,
  type ExportFormat,
  writeJsonLines,
  writeOrReport,
} from "../export-blog";
import { eachPost, eachRevision, listKomments } from "../parts/exported-posts";
import { kommentLine, writeMessagesFile } from "../parts/komments-and-messages";
import { linkMedia } from "../parts/linked-media";
import { writeMediaFiles } from "../parts/media-files";
import { writeSettingsFile } from "../parts/settings-file";
import type { StoredRevision } from "../parts/unsupported-parts";

const MEDIA = "../media/";
const mediaAddress = ({ filename }: StoredBlob) => MEDIA + encodeURIComponent(filename);

export const markdownExport: ExportFormat = {
  name: "markdown",
  isArchive: false,
  async write(platen, blog, context) {
    await writeSettingsFile(platen, blog, blog.updatedAt, context);
    for (const post of eachPost(platen, blog)) {
      await writeOrReport(context, post.title || post.slug, () => writePost(platen, post, context));
      await context.step();
    }
    await writeMessagesFile(platen, blog, blog.updatedAt, context);
    await writeMediaFiles(platen, blog, context);
  },
};

async function writePost(platen: Platen, post: WholePost, context: ExportContext): Promise<void> {
  const { out, report } = context;
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
 * src/transfer/import/markdown/platen-item.ts reads these fields. Most fields that Hugo, Jekyll or Eleventy know
 * have the names that these programs use.
 */
function postFrontMatter(platen: Platen, post: WholePost): string {
  const shown = previewImage(post);
  const fields: Record<string, unknown> = {
    generator: "Platen",
    title: post.title,
    slug: post.slug,
    date: post.publishedAt ?? undefined,
    created: post.createdAt,
    updated: post.updatedAt,
    status: post.status,
    draft: post.status !== "published" || undefined,
    type: post.type,
    categories: post.category ? [post.category.name] : undefined,
    tags: listOf(post.tags),
    description: post.summary ?? (excerptOf(platen, post) || undefined),
    summary: post.summary ?? undefined,
    series: post.series ?? undefined,
    lang: post.language ?? undefined,
    translationKey: translationKey(platen, post) ?? undefined,
    aliases: listOf(oldSlugsOf(platen, post).map(formerAddress)),
    image: shown && mediaAddress(shown),
    preview_image: post.previewImage ?? undefined,
    alt_text: altTexts(post),
    ...exportFlags(post),
    shared: post.shareId !== null || undefined,
    microformats: Object.keys(post.properties).length > 0 ? withFullAddresses(platen, post) : undefined,
  };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n`;
}

function listOf(names: string[]): string[] | undefined {
  return names.length > 0 ? names : undefined;
}

function formerAddress(path: string): string {
  return `/${path.startsWith("?") ? path : path.split("/").map(encodeURIComponent).join("/")}`;
}

function altTexts({ altText, attachments }: WholePost): Record<string, string> | undefined {
  const captioned = attachments
    .map(({ blob }: { blob: StoredBlob }) => blob)
    .filter(({ caption }) => caption !== "");
  const all = {
    ...Object.fromEntries(captioned.map(({ filename, caption }) => [filename, caption])),
    ...altText,
  };
  return Object.keys(all).length > 0 ? all : undefined;
}

function withFullAddresses({ config }: Platen, { properties }: WholePost): unknown {
  return JSON.parse(JSON.stringify(properties), (_, value) =>
    typeof value === "string" ? insertBaseUrl(value, config.url) : value,
  );
}
