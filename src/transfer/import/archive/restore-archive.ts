import { and, count, eq } from "drizzle-orm";
import { type Account, accountById } from "../../../accounts/accounts";
import { configureBlog } from "../../../blogs/blog-settings";
import { type Blog, blogHolding, MAX_BLOG_TITLE_LENGTH } from "../../../blogs/blogs";
import { categories, formerTopics, posts, tags } from "../../../database/schema";
import { inTransaction, unsynced } from "../../../database/transactions";
import { setBlocked } from "../../../komments/moderation";
import { importMessage, isNewMessage } from "../../../messages/importing-messages";
import type { Platen } from "../../../platen";
import { parseHome } from "../../../posts/linked/link-targets";
import { parseNavigation } from "../../../posts/linked/navigation";
import { MAX_TOPIC_NAME_LENGTH } from "../../../posts/post/post-limits";
import { removeFromIndex } from "../../../posts/search/search-index";
import { storeOldPaths } from "../../../posts/storage/slugs";
import { topicNameKey } from "../../../posts/topics/topics";
import { type Saved, savePost } from "../../../posts/writing/saving";
import { assertDiskSpace } from "../../../runtime/disk-space";
import {
  dateOr,
  dateOrNull,
  isFields,
  parseMessageLine,
  textList,
  textOrEmpty,
  textOrNull,
} from "../items/exported-lines";
import {
  addRecord,
  countRecords,
  finishImport,
  type ImportRow,
  insertAndRecord,
  startImport,
} from "../run/import-records";
import { createImportReport, type ImportReport } from "../run/import-report";
import {
  createKeyedQueue,
  forEachConcurrently,
  reportItemErrors,
  retryWhileBusy,
} from "../run/item-processing";
import { type ReadProgress, type Source, trackReads } from "../sources/source";
import {
  navigationLinks,
  parsePostLine,
  parseSettings,
  readArchiveInfo,
  readJsonFile,
  readJsonLines,
} from "./archive-reader";
import { archivePostKey, findPostId, isPostPresent, type RestoreContext } from "./restore-context";
import { type FileMapping, findRestoredFile, restoreFiles } from "./restore-files";
import { forgetLineCounts, restoreKomments, restoreRevisions } from "./restore-komments-and-revisions";

interface RestoreWish {
  blog: Blog;
  source: Source;
  onProgress(report: ImportReport, work: ReadProgress): void;
}

/** Reports what a restore would import, without writing. @throws SourceError */
export async function previewArchive(
  platen: Platen,
  { blog, source: whole, onProgress }: RestoreWish,
): Promise<ImportReport> {
  const about = await readArchiveInfo(whole);
  const report = createImportReport();
  const lines = whole.paths.filter((path) => path.endsWith(".jsonl"));
  const { source } = trackReads(whole, lines, (work) => onProgress(report, work));
  const known = new Set<unknown>();
  for await (const line of readJsonLines(source, "posts.jsonl")) {
    if (!line) report.faults.add("Invalid line in posts.jsonl.");
    else if (!isPostPresent(platen, blog, about, line)) tellPost(report, line, platen.now());
    else {
      known.add(line.id);
      report.known++;
    }
  }
  for (const kind of ["komments", "revisions"] as const)
    for await (const line of readJsonLines(source, `${kind}.jsonl`))
      if (!known.has(line?.post)) report[kind]++;
  for await (const line of readJsonLines(source, "messages.jsonl"))
    if (line)
      await reportItemErrors(report, messageName(line), () => {
        if (isNewMessage(platen, blog, parseMessageLine(line, platen.now()))) report.messages++;
      });
  for await (const line of readJsonLines(source, "files.jsonl")) {
    if (line && findRestoredFile(platen, blog, about, line)) continue;
    if (source.has(`media/${textOrEmpty(line?.filename)}`)) report.files++;
    else report.missingFiles.add(`${textOrEmpty(line?.filename)}: file not found`);
  }
  return report;
}

/**
 * Restores a blog without calling webhooks. Skips what an earlier run imported, so an interrupted run continues.
 * Settings are restored only if the blog has no other posts; its address never changes. @throws SourceError
 */
export async function restoreArchive(
  platen: Platen,
  { blog, source: whole, onProgress }: RestoreWish,
): Promise<{ report: ImportReport; run: ImportRow | null }> {
  assertDiskSpace(platen);
  const about = await readArchiveInfo(whole);
  const run = startImport(platen, blog, "platen", whole.name);
  const account = accountById(platen, blog.accountId) as Account;
  const report = createImportReport();
  const { source, work } = trackReads(whole, whole.paths, (read) => onProgress(report, read));
  const tell = () => onProgress(report, work);
  const at = { platen, blog, account, source, about, run, report, onProgress: tell };
  await unsynced(platen, () => restoreAll(at));
  finishImport(platen, run);
  const isAnything = report.posts + report.pages + report.files + report.messages > 0;
  return { report, run: isAnything ? run : null };
}

async function restoreAll(at: RestoreContext): Promise<void> {
  const { platen, blog, source, about, run, report } = at;
  await restoreTopics(at);
  const names = await restoreFiles(platen, blog, source, about, run, report, at.onProgress);
  // Lists order posts with equal times by creation, so these must not overtake each other.
  const inOrder = createKeyedQueue();
  await forEachConcurrently(readJsonLines(source, "posts.jsonl"), async (line) => {
    if (!line) report.faults.add("Invalid line in posts.jsonl.");
    else
      await inOrder([line.created_at, line.published_at, line.updated_at], () =>
        reportItemErrors(at.report, textOrEmpty(line.title) || textOrEmpty(line.slug), () =>
          restorePost(at, names, line),
        ),
      );
    at.onProgress();
  });
  await restoreKomments(at);
  await restoreRevisions(at, names);
  await restoreMessages(at);
  await restoreSettings(at, names);
}

async function restoreTopics({ platen, blog, source, run }: RestoreContext): Promise<void> {
  for (const [path, table, kind] of [
    ["categories.jsonl", categories, "category"],
    ["tags.jsonl", tags, "tag"],
  ] as const)
    for await (const line of readJsonLines(source, path)) {
      const [name, slug] = [textOrEmpty(line?.name), textOrEmpty(line?.slug)];
      if (name === "" || name.length > MAX_TOPIC_NAME_LENGTH || !/^[\p{L}\p{N}_-]{1,200}$/u.test(slug))
        continue;
      inTransaction(platen, () => {
        const row = { blogId: blog.id, name, nameKey: topicNameKey(name), slug };
        const made = platen.db.insert(table).values(row).onConflictDoNothing().returning().get();
        if (made) addRecord(platen, run, kind, String(made.id), made.id);
      });
    }
  for await (const line of readJsonLines(source, "former-topics.jsonl")) {
    const kind = line?.kind === "tag" ? "tag" : "category";
    const table = kind === "tag" ? tags : categories;
    const isNow = and(eq(table.blogId, blog.id), eq(table.slug, textOrEmpty(line?.now)));
    const topicId = platen.db.select({ id: table.id }).from(table).where(isNow).get()?.id ?? null;
    const row = { blogId: blog.id, kind, slug: textOrEmpty(line?.slug).slice(0, 200), topicId } as const;
    if (row.slug !== "") platen.db.insert(formerTopics).values(row).onConflictDoNothing().run();
  }
}

async function restorePost(
  at: RestoreContext,
  names: FileMapping,
  line: Record<string, unknown>,
): Promise<void> {
  const { platen, blog, account, about, run, report } = at;
  const key = archivePostKey(about.id, line);
  const given = parsePostLine(line);
  const changes = {
    ...given,
    content: names.inText(given.content ?? ""),
    properties: names.inValue(given.properties),
    altText: Object.fromEntries(
      Object.entries(given.altText ?? {}).map(([filename, alt]) => [names.filename(filename), alt]),
    ),
    previewImage: given.previewImage && names.filename(given.previewImage),
  };
  const createdAt = dateOr(line.created_at, run.startedAt);
  const times = { createdAt, updatedAt: dateOr(line.updated_at, createdAt) };
  const deletedAt = dateOrNull(line.deleted_at);
  const madeBy = isFields(line.made_by)
    ? {
        name: textOrEmpty(line.made_by.name).slice(0, MAX_BLOG_TITLE_LENGTH),
        app: textOrNull(line.made_by.app)?.slice(0, MAX_BLOG_TITLE_LENGTH) ?? null,
      }
    : null;
  const request = () => ({ blog, before: null, changes, originalTimes: times });
  const commit = (save: () => Saved) => {
    if (isPostPresent(platen, blog, about, line)) return false;
    const { post } = save();
    storeOldPaths(platen, post, textList(line.former_addresses));
    const slug = deletedAt ? (given.slug ?? post.slug) : post.slug;
    platen.db.update(posts).set({ madeBy, deletedAt, slug }).where(eq(posts.id, post.id)).run();
    addRecord(platen, run, "post", key, post.id);
    forgetLineCounts(at, line.id);
    return true;
  };
  const isNew = await retryWhileBusy(() => savePost(platen, { account }, request, commit));
  if (deletedAt && isNew) removeFromIndex(platen, findPostId(at, line.id) as number);
  if (isNew) tellPost(report, line, run.startedAt);
  else report.known++;
}

function tellPost(report: ImportReport, line: Record<string, unknown>, at: Date): void {
  if (line.type === "page") report.pages++;
  else report.posts++;
  if (line.status !== "published") report.unpublished++;
  else if (dateOr(line.published_at, at) > at) report.scheduled++;
}

async function restoreMessages(at: RestoreContext): Promise<void> {
  for await (const line of readJsonLines(at.source, "messages.jsonl"))
    if (line)
      await reportItemErrors(at.report, messageName(line), async () => {
        const { platen, blog, run, report } = at;
        const message = parseMessageLine(line, run.startedAt);
        const take = () => insertAndRecord(platen, run, () => importMessage(platen, blog, message));
        if (await retryWhileBusy(take)) report.messages++;
      });
}

const messageName = (line: Record<string, unknown>) =>
  `Message from ${textOrEmpty(line.name).slice(0, MAX_BLOG_TITLE_LENGTH)}`;

/** A blog with other posts keeps its settings. */
async function restoreSettings(at: RestoreContext, names: FileMapping): Promise<void> {
  const { platen, source, run } = at;
  const ofBlog = eq(posts.blogId, at.blog.id);
  const all = platen.db.select({ n: count() }).from(posts).where(ofBlog).get()?.n ?? 0;
  if (all > countRecords(platen, run.id, "post")) return;
  const line = names.inValue(await readJsonFile(source, "blog.json"));
  await reportItemErrors(at.report, "Blog settings", () => {
    const blog = blogHolding(platen, { blogId: at.blog.id });
    configureBlog(platen, blog, {
      ...parseSettings(line),
      home: parseHome(platen, blog, textOrEmpty(line.home)),
      navigation: parseNavigation(platen, blog, navigationLinks(line)),
    });
    setBlocked(platen, blog, textOrEmpty(line.blocked));
  });
}
