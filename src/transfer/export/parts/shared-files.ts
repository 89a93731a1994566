import { and, asc, eq, inArray, isNotNull, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Blog } from "../../../blogs/blogs";
import { blobs, komments, messages, oldSlugs, posts, revisions } from "../../../database/schema";
import type { Komment } from "../../../komments/komment";
import type { StoredBlob } from "../../../media/files/blobs";
import { fileBytes } from "../../../media/store/media-store";
import type { Platen } from "../../../platen";
import { chosenPage, homeCategory, resolveNavigation } from "../../../posts/linked/navigation-and-home";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import type { WholePost } from "../../../posts/post/post";
import type { RevisionFields } from "../../../posts/revisions/revision-history";
import { postsWithIds, wholePost } from "../../../posts/storage/stored-posts";
import {
  countUnsupported,
  type ExportContext,
  type ExportReport,
  writeJsonLines,
  writeOrReport,
} from "../export-blog";

export async function writeSettingsFile(
  platen: Platen,
  blog: Blog,
  at: Date,
  { out }: ExportContext,
): Promise<void> {
  await out.text("blog.json", at, `${JSON.stringify(settingsJson(platen, blog), null, 2)}\n`);
}

export async function writeMessagesFile(
  platen: Platen,
  blog: Blog,
  at: Date,
  context: ExportContext,
): Promise<void> {
  const lines = listMessages(platen, blog).map(messageLine);
  context.report.messages += await writeJsonLines(context, "messages.jsonl", at, lines);
}

export async function writeMediaFiles(
  platen: Platen,
  blog: Blog,
  context: ExportContext,
  pathsOf: (file: StoredBlob) => { path: string; poster: string } = inOneFolder,
): Promise<void> {
  const { out, report } = context;
  for (const file of listFiles(platen, blog)) {
    const { path, poster } = pathsOf(file);
    await writeOrReport(context, file.filename, async () => {
      await out.bytes(path, file.createdAt, await fileBytes(platen, file, file.filename));
      report.files++;
      if (file.hasPoster)
        await out.bytes(poster, file.createdAt, await fileBytes(platen, file, "poster.webp"));
    });
    await context.step();
  }
}

function inOneFolder({ filename }: StoredBlob) {
  return { path: `media/${filename}`, poster: `media/posters/${filename}.webp` };
}

export function countUnsupportedParts(platen: Platen, blog: Blog, report: ExportReport): void {
  const { komments, messages, revisions, inTrash } = countHistory(platen, blog);
  countUnsupported(report, "komments", komments - report.komments);
  countUnsupported(report, "previous versions", revisions);
  countUnsupported(report, "contact form messages", messages);
  countUnsupported(report, "posts in the trash", inTrash);
  countUnsupported(report, "navigation links", blog.navigation.length);
}

/** Omits the secret for editing the komment. */
export function kommentLine({
  name,
  address,
  source,
  status,
  createdAt,
  editedAt,
  answer,
  answeredAt,
}: Komment) {
  return {
    ...{ name, address, text: source, status, at: createdAt, edited_at: editedAt ?? undefined },
    answer: answer === null ? undefined : { text: answer, at: answeredAt },
  };
}

function messageLine(message: typeof messages.$inferSelect & { slug: string | null }) {
  const { name, address, text, createdAt, status, slug } = message;
  return { name, address, text, at: createdAt, status, page: slug ?? undefined };
}

/** Omits secrets. References pages and categories by URL, not by id. */
function settingsJson(platen: Platen, blog: Blog) {
  return {
    title: blog.title,
    slug: blog.slug,
    domain: blog.domain,
    description: blog.description,
    language: blog.language,
    time_zone: blog.timeZone,
    theme: blog.theme,
    accent: blog.accent,
    header: insertBaseUrl(blog.headerHtml, platen.config.url),
    footer: insertBaseUrl(blog.footerHtml, platen.config.url),
    css: blog.cssSource ?? (blog.customCss || null),
    profiles: blog.profiles,
    home: homeAddress(platen, blog),
    navigation: resolveNavigation(platen, blog).map(({ link, address }) => ({
      label: link.label,
      to: address,
    })),
    design: blog.design,
    posts_a_page: blog.postsAPage,
    feed_content: blog.feedContent,
    komments_open: blog.kommentsOpen,
    komments_moderated: blog.kommentsModerated,
    blocked: blog.blocked,
  };
}

function homeAddress(platen: Platen, blog: Blog): string {
  const page = chosenPage(platen, blog);
  const category = homeCategory(platen, blog);
  return page ? `/${page.slug}` : category ? `/category/${category.slug}` : "";
}

export interface StoredRevision {
  replacedAt: Date;
  fields: RevisionFields;
}

/** Oldest first. Posts in the trash come last. */
export function listPostIds(platen: Platen, blog: Blog, { withTrash = false } = {}): number[] {
  const ids = (isWanted: SQL) =>
    platen.db
      .select({ id: posts.id })
      .from(posts)
      .where(and(eq(posts.blogId, blog.id), isWanted))
      .orderBy(asc(posts.id))
      .all()
      .map(({ id }) => id);
  return [...ids(isNull(posts.deletedAt)), ...(withTrash ? ids(isNotNull(posts.deletedAt)) : [])];
}

export function* eachPost(
  platen: Platen,
  blog: Blog,
  options?: { withTrash: boolean },
): Generator<WholePost> {
  for (const id of listPostIds(platen, blog, options)) {
    const [post] = postsWithIds(platen, blog, [id]);
    if (post) yield wholePost(platen, post);
  }
}

export function listLiveSlugs(platen: Platen, blog: Blog): string[] {
  const where = and(eq(posts.blogId, blog.id), isLiveAt(platen.now()));
  const rows = platen.db.select({ slug: posts.slug }).from(posts).where(where).orderBy(asc(posts.id)).all();
  return rows.map(({ slug }) => slug);
}

export function listPreviousPaths({ db, now }: Platen, blog: Blog) {
  return db
    .select({ former: oldSlugs.slug, slug: posts.slug })
    .from(oldSlugs)
    .innerJoin(posts, eq(posts.id, oldSlugs.postId))
    .where(and(eq(oldSlugs.blogId, blog.id), isLiveAt(now())))
    .orderBy(asc(oldSlugs.slug))
    .all();
}

const isLiveAt = (now: Date) =>
  and(eq(posts.status, "published"), isNull(posts.deletedAt), lte(posts.publishedAt, now));

export function listFiles({ db }: Platen, blog: Blog): StoredBlob[] {
  return db.select().from(blobs).where(eq(blobs.blogId, blog.id)).orderBy(asc(blobs.id)).all();
}

export function listKomments({ db }: Platen, postId: number) {
  return db.select().from(komments).where(eq(komments.postId, postId)).orderBy(asc(komments.id)).all();
}

/** Reads one revision at a time, because a post may have hundreds of long revisions. */
export function* eachRevision({ db }: Platen, postId: number): Generator<StoredRevision> {
  const ids = db.select({ id: revisions.id }).from(revisions).where(eq(revisions.postId, postId));
  for (const { id } of ids.orderBy(asc(revisions.id)).all()) {
    const revision = db.select().from(revisions).where(eq(revisions.id, id)).get();
    if (revision) yield revision;
  }
}

function listMessages({ db }: Platen, blog: Blog) {
  return db
    .select({ message: messages, slug: posts.slug })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .where(eq(messages.blogId, blog.id))
    .orderBy(asc(messages.id))
    .all()
    .map(({ message, slug }) => ({ ...message, slug }));
}

function countHistory({ db }: Platen, { id }: Blog) {
  const count = (table: SQLiteTable, where: SQL | undefined) =>
    db.select({ n: sql<number>`count(*)` }).from(table).where(where).get()?.n ?? 0;
  const kept = db
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.blogId, id), isNull(posts.deletedAt)));
  return {
    komments: count(komments, and(eq(komments.blogId, id), inArray(komments.postId, kept))),
    messages: count(messages, eq(messages.blogId, id)),
    revisions: count(revisions, inArray(revisions.postId, kept)),
    inTrash: count(posts, and(eq(posts.blogId, id), isNotNull(posts.deletedAt))),
  };
}
