import { eq } from "drizzle-orm";
import type { Blog } from "../../../blogs/blogs";
import { categories, formerTopics, tags } from "../../../database/schema";
import { sgidOf } from "../../../media/attachment-element";
import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { absolutizeProperties, insertBaseUrl } from "../../../posts/post/mf2-properties";
import { permanentIds } from "../../../posts/post/permanent-ids";
import type { WholePost } from "../../../posts/post/post";
import { oldSlugsOf } from "../../../posts/storage/old-slugs";
import { version } from "../../../version";
import { countPost, type ExportFormat, type Writing, writeLines } from "../export-blog";
import {
  allIdsOf,
  allPostsOf,
  filesOf,
  type KeptRevision,
  kommentsOn,
  revisionsOf,
} from "../parts/blog-rows";
import { kommentLine, writeMedia, writeMessages, writeSettings } from "../parts/shared-files";

/** Of what is in the archive; a reader refuses a greater one. */
const VERSION = 1;

/** One ZIP archive of JSON Lines and media, of which `platen import platen` makes the same blog again: docs/importing.md. */
export const platenArchive: ExportFormat = {
  name: "platen",
  makes: "one archive that can be brought in again as it was",
  isArchive: true,
  async write(platen, blog, writing) {
    const at = platen.now();
    const id = permanentIds(platen)("blog", blog.id);
    const about = { format: "platen", version: VERSION, made_by: version, at, id, url: platen.config.url };
    await writing.out.text("archive.json", at, `${JSON.stringify(about, null, 2)}\n`);
    await writeSettings(platen, blog, at, writing);
    await writeTopics(platen, blog, at, writing);
    await writeLines(writing, "files.jsonl", at, filesOf(platen, blog), (file) => fileLine(platen, file));
    await writeMedia(platen, blog, writing);
    await writePosts(platen, blog, at, writing);
    await writeMessages(platen, blog, at, writing);
  },
};

async function writeTopics({ db }: Platen, { id }: Blog, at: Date, writing: Writing): Promise<void> {
  for (const [path, table] of [
    ["categories.jsonl", categories],
    ["tags.jsonl", tags],
  ] as const) {
    const rows = db.select().from(table).where(eq(table.blogId, id)).orderBy(table.id).all();
    await writeLines(writing, path, at, each(rows), ({ name, slug }) => ({ name, slug }));
  }
  const former = db.select().from(formerTopics).where(eq(formerTopics.blogId, id)).all();
  await writeLines(writing, "former-topics.jsonl", at, each(former), ({ kind, slug, topicId }) => {
    const table = kind === "category" ? categories : tags;
    const now = topicId === null ? undefined : db.select().from(table).where(eq(table.id, topicId)).get();
    return { kind, slug, now: now?.slug ?? null };
  });
}

/** By `sgid` and `folder` texts name the file. */
function fileLine(platen: Platen, file: StoredBlob) {
  const { filename, folder, caption, sha256, createdAt, hasPoster } = file;
  return {
    filename,
    folder,
    sgid: sgidOf(platen, file),
    caption,
    sha256,
    at: createdAt,
    has_poster: hasPoster,
  };
}

async function writePosts(platen: Platen, blog: Blog, at: Date, writing: Writing): Promise<void> {
  const { report } = writing;
  const told = async function* () {
    for await (const post of allPostsOf(platen, blog)) {
      yield post;
      countPost(report, post);
      await writing.step();
    }
  };
  await writeLines(writing, "posts.jsonl", at, told(), (post) => postLine(platen, post));
  const komments = ofEach(allIdsOf(platen, blog), (post) => kommentsOn(platen, post));
  report.komments = await writeLines(writing, "komments.jsonl", at, komments, ([{ id }, komment]) => ({
    post: id,
    ...kommentLine(komment),
  }));
  const revisions = ofEach(allIdsOf(platen, blog), (post) => revisionsOf(platen, post));
  report.revisions = await writeLines(writing, "revisions.jsonl", at, revisions, ([{ id }, revision]) => ({
    post: id,
    ...revisionLine(platen, revision),
  }));
}

async function* ofEach<Row>(
  posts: AsyncIterable<{ id: number }>,
  rowsOf: (post: { id: number }) => AsyncIterable<Row>,
): AsyncGenerator<[post: { id: number }, row: Row]> {
  for await (const post of posts) for await (const row of rowsOf(post)) yield [post, row];
}

function postLine(platen: Platen, post: WholePost) {
  const base = platen.config.url;
  return {
    ...{ id: post.id, type: post.type, status: post.status, title: post.title, slug: post.slug },
    ...{ summary: post.summary, pinned: post.pinned },
    ...{ content_type: post.sourceType, content: insertBaseUrl(post.source, base) },
    ...{ published_at: post.publishedAt, created_at: post.createdAt, updated_at: post.updatedAt },
    ...{ deleted_at: post.deletedAt, category: post.category?.name ?? null, tags: post.tags },
    ...{ alt_text: post.altText, preview_image: post.previewImage },
    microformats: absolutizeProperties(post.properties, base),
    ...{ hidden: post.hidden, hide_in_rss: post.hideInRss, no_index_no_follow: post.noIndexNoFollow },
    ...{ show_contact_form: post.showContactForm, komments_disabled: post.kommentsDisabled },
    ...{ skip_archive: post.skipArchive, shared: post.shareId !== null, made_by: post.madeBy },
    former_addresses: oldSlugsOf(platen, post),
  };
}

/** Without numbers of this instance, and the secret end of a share link. */
function revisionLine({ config }: Platen, { replacedAt, fields }: KeptRevision) {
  const { id, blogId, shareId, categoryId, ...others } = fields as KeptRevision["fields"] &
    Record<string, unknown>;
  const text = JSON.stringify(others);
  return { replaced_at: replacedAt, fields: JSON.parse(text.replaceAll("\\u001a", config.url)) };
}

async function* each<Row>(rows: Row[]): AsyncGenerator<Row> {
  yield* rows;
}
