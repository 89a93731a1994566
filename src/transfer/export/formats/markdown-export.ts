import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import type { WholePost } from "../../../posts/post/post";
import { previewImage } from "../../../posts/post/post-images";
import { oldSlugsOf } from "../../../posts/storage/old-slugs";
import { excerptOf } from "../../../posts/storage/stored-content";
import { countPost, type ExportFormat, orFault, type Writing, writeLines } from "../export-blog";
import { type KeptRevision, kommentsOn, postsOf, revisionsOf } from "../parts/blog-rows";
import { linkedContent } from "../parts/linked-content";
import { kommentLine, writeMedia, writeMessages, writeSettings } from "../parts/shared-files";

/** Where the files are, from where the texts are. */
const MEDIA = "../media/";
const mediaAddress = ({ filename }: StoredBlob) => MEDIA + encodeURIComponent(filename);

/** A folder that any program which makes sites of Markdown reads, and `platen import markdown` too: docs/importing.md. */
export const markdownExport: ExportFormat = {
  name: "markdown",
  makes: "a folder or ZIP archive of Markdown with the media beside it",
  isArchive: false,
  async write(platen, blog, writing) {
    await writeSettings(platen, blog, blog.updatedAt, writing);
    for await (const post of postsOf(platen, blog)) {
      await orFault(writing, post.title || post.slug, () => writePost(platen, post, writing));
      await writing.step();
    }
    await writeMessages(platen, blog, blog.updatedAt, writing);
    await writeMedia(platen, blog, writing);
  },
};

async function writePost(platen: Platen, post: WholePost, writing: Writing): Promise<void> {
  const { out, report } = writing;
  const { slug, type, sourceType, updatedAt } = post;
  const text = postMatter(platen, post, MEDIA) + linkedContent(platen, post, mediaAddress);
  await out.text(`${type}s/${slug}.${sourceType === "markdown" ? "md" : "html"}`, updatedAt, text);
  countPost(report, post);
  const komments = kommentsOn(platen, post);
  report.komments += await writeLines(writing, `komments/${slug}.jsonl`, updatedAt, komments, kommentLine);
  const line = (revision: KeptRevision) => revisionLine(platen, post, revision);
  const revisions = revisionsOf(platen, post);
  report.revisions += await writeLines(writing, `revisions/${slug}.jsonl`, updatedAt, revisions, line);
}

/** Without what is of this instance only: numbers, and the secret end of a share link. */
function revisionLine(platen: Platen, { blogId }: WholePost, { fields, replacedAt }: KeptRevision) {
  const { title, slug, type, status, source, sourceType, category, tags, publishedAt, updatedAt } = fields;
  const { altText = {}, previewImage, replacedBy } = fields;
  const content =
    source !== undefined && sourceType !== undefined
      ? linkedContent(platen, { source, sourceType, altText, blogId }, mediaAddress)
      : undefined;
  return {
    ...{ replaced_at: replacedAt, replaced_by: replacedBy, title, slug, type, status, category, tags },
    ...{ date: publishedAt, updated: updatedAt, alt_text: altText, preview_image: previewImage },
    ...{ summary: fields.summary ?? undefined, pinned: fields.pinned || undefined },
    ...{ hidden: fields.hidden || undefined, hide_in_rss: fields.hideInRss || undefined },
    ...{
      no_index_no_follow: fields.noIndexNoFollow || undefined,
      skip_archive: fields.skipArchive || undefined,
    },
    show_contact_form: fields.showContactForm || undefined,
    komments_disabled: fields.kommentsDisabled || undefined,
    ...{ content_type: content && sourceType, content },
  };
}

/**
 * What stands above a post's text: YAML, by the names that Hugo, Jekyll and Eleventy know where they know any. What is
 * not said is as it is in a new post. The reader of it is import/markdown/platen-item.
 * @param folder where the files are, from where the text is
 */
export function postMatter(platen: Platen, post: WholePost, folder: string): string {
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
    pinned: post.pinned || undefined,
    aliases: listOf(oldSlugsOf(platen, post).map(formerAddress)),
    image: shown && folder + encodeURIComponent(shown.filename),
    preview_image: post.previewImage ?? undefined,
    alt_text: altTexts(post),
    hidden: post.hidden || undefined,
    hide_in_rss: post.hideInRss || undefined,
    no_index_no_follow: post.noIndexNoFollow || undefined,
    show_contact_form: post.showContactForm || undefined,
    komments_disabled: post.kommentsDisabled || undefined,
    skip_archive: post.skipArchive || undefined,
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

/** "2013/05/tea" → "/2013/05/tea", "?p=7" → "/?p=7" */
function formerAddress(path: string): string {
  return `/${path.startsWith("?") ? path : path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Of each picture that readers are given one for. */
function altTexts({ altText, attachments }: WholePost): Record<string, string> | undefined {
  const given = attachments
    .map(({ blob }: { blob: StoredBlob }) => blob)
    .filter(({ caption }) => caption !== "");
  const all = {
    ...Object.fromEntries(given.map(({ filename, caption }) => [filename, caption])),
    ...altText,
  };
  return Object.keys(all).length > 0 ? all : undefined;
}

function withFullAddresses({ config }: Platen, { properties }: WholePost): unknown {
  return JSON.parse(JSON.stringify(properties), (_, value) =>
    typeof value === "string" ? insertBaseUrl(value, config.url) : value,
  );
}
