import type { Blog } from "../../../blogs/blogs";
import type { Platen } from "../../../platen";
import type { WholePost } from "../../../posts/post/post";
import { type ExportFormat, orFault, type Writing, writeLines } from "../exporting";
import { linkedContent } from "../markdown/linked-content";
import { postMatter } from "../markdown/post-matter";
import { blogSettings } from "../reading/blog-settings-file";
import { kommentLine, messageLine } from "../reading/reader-lines";
import {
  fileBytes,
  filesOf,
  type KeptRevision,
  kommentsOn,
  messagesTo,
  posterBytes,
  postsOf,
  revisionsOf,
} from "../reading/whole-blog";

/** Where the files are, from where the texts are. */
const MEDIA = "../media/";

/** A folder that any program which makes sites of Markdown reads, and `platen import markdown` too: docs/moving.md. */
export const markdownExport: ExportFormat = {
  name: "markdown",
  makes: "a folder or ZIP archive of Markdown with the media beside it",
  isArchive: false,
  async write(platen, blog, writing) {
    const settings = JSON.stringify(blogSettings(platen, blog), null, 2);
    await writing.out.text("blog.json", blog.updatedAt, `${settings}\n`);
    for await (const post of postsOf(platen, blog)) {
      await orFault(writing, post.title || post.slug, () => writePost(platen, post, writing));
      await writing.step();
    }
    const messages = messagesTo(platen, blog);
    writing.report.messages += await writeLines(
      writing,
      "messages.jsonl",
      blog.updatedAt,
      messages,
      messageLine,
    );
    await writeMedia(platen, blog, writing);
  },
};

async function writePost(platen: Platen, post: WholePost, writing: Writing): Promise<void> {
  const { out, report } = writing;
  const { slug, type, sourceType, updatedAt } = post;
  const text = postMatter(platen, post, MEDIA) + linkedContent(platen, post, MEDIA);
  await out.text(`${type}s/${slug}.${sourceType === "markdown" ? "md" : "html"}`, updatedAt, text);
  if (type === "page") report.pages++;
  else report.posts++;
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
      ? linkedContent(platen, { source, sourceType, altText, blogId }, MEDIA)
      : undefined;
  return {
    ...{ replaced_at: replacedAt, replaced_by: replacedBy, title, slug, type, status, category, tags },
    ...{ date: publishedAt, updated: updatedAt, alt_text: altText, preview_image: previewImage },
    ...{ content_type: content && sourceType, content },
  };
}

async function writeMedia(platen: Platen, blog: Blog, writing: Writing): Promise<void> {
  const { out, report } = writing;
  for await (const file of filesOf(platen, blog)) {
    const { filename, createdAt } = file;
    await orFault(writing, filename, async () => {
      await out.bytes(`media/${filename}`, createdAt, fileBytes(platen, file));
      report.files++;
      const poster = posterBytes(platen, file);
      if (poster) await out.bytes(`media/posters/${filename}.webp`, createdAt, poster);
    });
    await writing.step();
  }
}
