import { eq } from "drizzle-orm";
import { categories, formerTopics, tags } from "../../../database/schema";
import { sgidOf } from "../../../media/attachment-element";
import type { Platen } from "../../../platen";
import { absolutizeProperties, insertBaseUrl } from "../../../posts/post/mf2-properties";
import type { WholePost } from "../../../posts/post/post";
import { oldSlugsOf, permanentIds } from "../../../posts/storage/slugs-and-permanent-ids";
import { translationKey } from "../../../posts/storage/translations";
import { version } from "../../../version";
import { exportFlags } from "../../post-flags";
import { subscriberRows } from "../../subscribers/archived-subscribers";
import { countPost, type ExportContext, type ExportFormat, writeJsonLines } from "../export-blog";
import {
  eachPost,
  eachRevision,
  listKomments,
  listPostIds,
  type StoredRevision,
} from "../parts/exported-posts";
import { kommentLine, writeMessagesFile } from "../parts/komments-and-messages";
import { listFiles, writeMediaFiles } from "../parts/media-files";
import { writeSettingsFile } from "../parts/settings-file";

/** Increase this number if older versions of Platen cannot read new archives. They reject higher numbers. */
const VERSION = 1;

export const platenArchive: ExportFormat = {
  name: "platen",
  isArchive: true,
  hasSubscribers: true,
  async write(context) {
    const { platen, blog } = context;
    const at = platen.now();
    const id = permanentIds(platen)("blog", blog.id);
    const about = { format: "platen", version: VERSION, made_by: version, at, id, url: platen.config.url };
    await context.out.text("archive.json", at, `${JSON.stringify(about, null, 2)}\n`);
    await writeSettingsFile(context, at);
    await writeTopics(context, at);
    const files = listFiles(platen, blog).map((file) => {
      const { filename, folder, caption, focus, sha256, createdAt, hasPoster } = file;
      const sgid = sgidOf(platen, file);
      return { filename, folder, sgid, caption, focus, sha256, at: createdAt, has_poster: hasPoster };
    });
    await writeJsonLines(context, "files.jsonl", at, files);
    await writeMediaFiles(context);
    await writePosts(context, at);
    await writeMessagesFile(context, at);
    if (!context.withSubscribers) return;
    const subscribers = subscriberRows(platen, blog);
    context.report.subscribers = await writeJsonLines(context, "subscribers.jsonl", at, subscribers);
  },
};

async function writeTopics(context: ExportContext, at: Date): Promise<void> {
  const { db } = context.platen;
  const { id } = context.blog;
  const topicsIn = (table: typeof categories | typeof tags) =>
    db.select().from(table).where(eq(table.blogId, id)).orderBy(table.id).all();
  const topics = { category: topicsIn(categories), tag: topicsIn(tags) };
  const line = ({ name, slug }: { name: string; slug: string }) => ({ name, slug });
  await writeJsonLines(context, "categories.jsonl", at, topics.category.map(line));
  await writeJsonLines(context, "tags.jsonl", at, topics.tag.map(line));
  const former = db.select().from(formerTopics).where(eq(formerTopics.blogId, id)).all();
  const lines = former.map(({ kind, slug, topicId }) => {
    const now = topics[kind].find((topic) => topic.id === topicId)?.slug ?? null;
    return { kind, slug, now };
  });
  await writeJsonLines(context, "former-topics.jsonl", at, lines);
}

async function writePosts(context: ExportContext, at: Date): Promise<void> {
  const { platen, blog, report } = context;
  const postLines = async function* () {
    for (const post of eachPost(platen, blog, { withTrash: true })) {
      yield postLine(platen, post);
      countPost(report, post);
      await context.step();
    }
  };
  await writeJsonLines(context, "posts.jsonl", at, postLines());
  const ids = listPostIds(platen, blog, { withTrash: true });
  const komments = ids
    .values()
    .flatMap((post) => listKomments(platen, post).map((komment) => ({ post, ...kommentLine(komment) })));
  report.komments = await writeJsonLines(context, "komments.jsonl", at, komments);
  const revisions = ids
    .values()
    .flatMap((post) =>
      eachRevision(platen, post).map((revision) => ({ post, ...revisionLine(platen, revision) })),
    );
  report.revisions = await writeJsonLines(context, "revisions.jsonl", at, revisions);
}

function postLine(platen: Platen, post: WholePost) {
  const base = platen.config.url;
  return {
    ...{ id: post.id, type: post.type, status: post.status, title: post.title, slug: post.slug },
    ...{ summary: post.summary, series: post.series },
    ...{ language: post.language, translation_key: translationKey(platen, post) ?? undefined },
    ...{ content_type: post.sourceType, content: insertBaseUrl(post.source, base) },
    ...{ published_at: post.publishedAt, created_at: post.createdAt, updated_at: post.updatedAt },
    ...{ deleted_at: post.deletedAt, category: post.category?.name ?? null, tags: post.tags },
    ...{ alt_text: post.altText, preview_image: post.previewImage },
    microformats: absolutizeProperties(post.properties, base),
    ...{ ...exportFlags(post), shared: post.shareId !== null, made_by: post.madeBy },
    former_addresses: oldSlugsOf(platen, post),
  };
}

/** Omits ids, which are meaningless elsewhere, and the secret of the share link. */
function revisionLine({ config }: Platen, { replacedAt, fields }: StoredRevision) {
  const { id, blogId, shareId, categoryId, ...others } = fields as StoredRevision["fields"] &
    Record<string, unknown>;
  const text = JSON.stringify(others);
  return { replaced_at: replacedAt, fields: JSON.parse(text.replaceAll("\\u001a", config.url)) };
}
