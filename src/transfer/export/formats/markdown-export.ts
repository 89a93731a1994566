import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import type { WholePost } from "../../../posts/post/post";
import { countPost, type ExportFormat, orFault, type Writing, writeLines } from "../exporting";
import { linkedContent } from "../markdown/linked-content";
import { postMatter } from "../markdown/post-matter";
import { writeMedia, writeMessages, writeSettings } from "../parts/shared-files";
import { kommentLine } from "../reading/komment-and-message-lines";
import { type KeptRevision, kommentsOn, postsOf, revisionsOf } from "../reading/whole-blog";

/** Where the files are, from where the texts are. */
const MEDIA = "../media/";
const addressOf = ({ filename }: StoredBlob) => MEDIA + encodeURIComponent(filename);

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
  const text = postMatter(platen, post, MEDIA) + linkedContent(platen, post, addressOf);
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
      ? linkedContent(platen, { source, sourceType, altText, blogId }, addressOf)
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
