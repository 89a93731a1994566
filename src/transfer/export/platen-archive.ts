import { asc, eq } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { findRows } from "../../database/rows";
import { formerTopics, messages, posts } from "../../database/schema";
import type { Komment } from "../../komments/komment-rules-and-events";
import { sgidOf } from "../../media/attachment-element";
import { eachSubscriber } from "../../newsletter/subscribers";
import type { Platen } from "../../platen";
import { absolutizeProperties, insertBaseUrl } from "../../posts/post/mf2-properties";
import type { WholePost } from "../../posts/post/post";
import { chosenPage, homeCategory, resolveNavigation } from "../../posts/reading/navigation-and-home";
import type { Topic } from "../../posts/storage/categories-and-tags";
import { oldSlugsOf, permanentIds } from "../../posts/storage/slugs-and-permanent-ids";
import { translationKey } from "../../posts/storage/translations";
import { version } from "../../version";
import { exportFlags } from "../import/items/dates-and-fields";
import { countPost, type ExportContext, type ExportFormat, writeJsonLines } from "./export-blog";
import {
  eachPost,
  eachRevision,
  listFiles,
  listKomments,
  listPostIds,
  listTopics,
  type StoredRevision,
  writeMediaFiles,
} from "./exported-posts-and-media";

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
  const { platen, blog } = context;
  const topics = { category: listTopics(platen, blog, "category"), tag: listTopics(platen, blog, "tag") };
  const line = ({ name, slug }: Topic) => ({ name, slug });
  await writeJsonLines(context, "categories.jsonl", at, topics.category.map(line));
  await writeJsonLines(context, "tags.jsonl", at, topics.tag.map(line));
  const lines = findRows(platen, formerTopics, { blogId: blog.id }).map(({ kind, slug, topicId }) => {
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

export async function writeMessagesFile(context: ExportContext, at: Date): Promise<void> {
  const rows = context.platen.db
    .select({ message: messages, page: posts.slug })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .where(eq(messages.blogId, context.blog.id))
    .orderBy(asc(messages.id))
    .all();
  const lines = rows.map(({ message: { name, address, text, createdAt, status }, page }) => {
    return { name, address, text, at: createdAt, status, page: page ?? undefined };
  });
  context.report.messages += await writeJsonLines(context, "messages.jsonl", at, lines);
}

/** Omits the secret for editing the komment. */
export function kommentLine(komment: Komment) {
  const { name, address, source, status, createdAt, editedAt, answer, answeredAt } = komment;
  return {
    ...{ name, address, text: source, status, at: createdAt, edited_at: editedAt ?? undefined },
    answer: answer === null ? undefined : { text: answer, at: answeredAt },
  };
}

export async function writeSettingsFile({ platen, blog, out }: ExportContext, at: Date): Promise<void> {
  await out.text("blog.json", at, `${JSON.stringify(settingsJson(platen, blog), null, 2)}\n`);
}

function settingsJson(platen: Platen, blog: Blog) {
  const { title, slug, domain, description, language, theme, accent, profiles, design, blocked } = blog;
  const navigation = resolveNavigation(platen, blog);
  const page = chosenPage(platen, blog);
  const category = homeCategory(platen, blog);
  const categoryPath = category ? `/category/${category.slug}` : "";
  return {
    ...{ title, slug, domain, description, language, time_zone: blog.timeZone, theme, accent },
    header: insertBaseUrl(blog.headerHtml, platen.config.url),
    footer: insertBaseUrl(blog.footerHtml, platen.config.url),
    ...{ css: blog.cssSource ?? (blog.customCss || null), profiles },
    home: page ? `/${page.slug}` : categoryPath,
    navigation: navigation.map(({ link, address }) => ({ label: link.label, to: address })),
    ...{ design, posts_a_page: blog.postsAPage, feed_content: blog.feedContent },
    ...{ komments_open: blog.kommentsOpen, komments_moderated: blog.kommentsModerated, blocked },
  };
}

/**
 * Former subscribers are exported as hashes, so that a restore does not add them again. Leaves out
 * unconfirmed subscribers.
 */
function* subscriberRows(platen: Platen, blog: Blog): Generator<object> {
  for (const { address, addressHash, state, language, confirmedAt, leftAt } of eachSubscriber(platen, blog))
    if (state === "left")
      yield { state, sha256: addressHash, language, confirmed_at: confirmedAt, left_at: leftAt };
    else if (state !== "asked") yield { state, address, language, confirmed_at: confirmedAt };
}
