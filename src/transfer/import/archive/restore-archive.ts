import { and, count, eq } from "drizzle-orm";
import { type Account, accountById } from "../../../accounts/accounts";
import { configureBlog } from "../../../blogs/blog-settings";
import { type Blog, blogHolding, LONGEST_TITLE } from "../../../blogs/blogs";
import { categories, formerTopics, posts, tags } from "../../../database/schema";
import { inTransaction, unsynced } from "../../../database/transactions";
import { setBlocked } from "../../../komments/blocking";
import { type ImportedMessage, importMessage, isNewMessage } from "../../../messages/importing-messages";
import type { Platen } from "../../../platen";
import { parseHome } from "../../../posts/linked/blog-home";
import { parseNavigation } from "../../../posts/linked/navigation";
import { MAX_TOPIC_NAME_LENGTH } from "../../../posts/post/post-limits";
import { removeFromIndex } from "../../../posts/search/search-index";
import { storeOldPaths } from "../../../posts/storage/old-slugs";
import { topicNameKey } from "../../../posts/topics/topics";
import { type Saved, savePost } from "../../../posts/writing/saving";
import { assertDiskSpace } from "../../../runtime/disk-space";
import {
  beginImport,
  countMade,
  endImport,
  type ImportRow,
  recordMade,
  takenAndRecorded,
} from "../run/import-records";
import { type ImportReport, newReport } from "../run/import-report";
import { ordered, orReported, patiently, severalAtOnce } from "../run/item-processing";
import { countedSource, type Source, type Work } from "../sources/source";
import {
  aboutArchive,
  isFields,
  linesIn,
  linksIn,
  objectIn,
  postIn,
  settingsIn,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from "./archive-reader";
import { hasPost, postHere, postKey, type Restoring } from "./restore-context";
import { type FileNames, fileBefore, restoreFiles } from "./restore-files";
import { forgetLines, restoreKomments, restoreRevisions } from "./restore-komments-and-revisions";

/** What is restored, and to where. */
interface RestoreWish {
  blog: Blog;
  source: Source;
  onProgress(report: ImportReport, work: Work): void;
}

/** Writes nothing: what would come. @throws SourceFault */
export async function tryArchive(
  platen: Platen,
  { blog, source: whole, onProgress }: RestoreWish,
): Promise<ImportReport> {
  const about = await aboutArchive(whole);
  const report = newReport();
  const lines = whole.paths.filter((path) => path.endsWith(".jsonl"));
  const { source } = countedSource(whole, lines, (work) => onProgress(report, work));
  const known = new Set<unknown>();
  for await (const line of linesIn(source, "posts.jsonl")) {
    if (!line) report.faults.add("A line of posts.jsonl: it cannot be read.");
    else if (!hasPost(platen, blog, about, line)) tellPost(report, line, platen.now());
    else {
      known.add(line.id);
      report.known++;
    }
  }
  for (const kind of ["komments", "revisions"] as const)
    for await (const line of linesIn(source, `${kind}.jsonl`)) if (!known.has(line?.post)) report[kind]++;
  for await (const line of linesIn(source, "messages.jsonl"))
    if (line)
      await orReported(report, messageName(line), () => {
        if (isNewMessage(platen, blog, messageIn(line, platen.now()))) report.messages++;
      });
  for await (const line of linesIn(source, "files.jsonl")) {
    if (line && fileBefore(platen, blog, about, line)) continue;
    if (source.has(`media/${text(line?.filename)}`)) report.files++;
    else report.missingFiles.add(`${text(line?.filename)}: there is no such file`);
  }
  return report;
}

/**
 * Brings a blog back as it was, silently: no webhook hears of it. What was brought before is left alone, so that one that
 * was cut off goes on. The settings come too where the blog holds nothing else; its address stays.
 * @throws SourceFault
 */
export async function restoreArchive(
  platen: Platen,
  { blog, source: whole, onProgress }: RestoreWish,
): Promise<{ report: ImportReport; run: ImportRow | null }> {
  assertDiskSpace(platen);
  const about = await aboutArchive(whole);
  const run = beginImport(platen, blog, "platen", whole.name);
  const account = accountById(platen, blog.accountId) as Account;
  const report = newReport();
  const { source, work } = countedSource(whole, whole.paths, (read) => onProgress(report, read));
  const tell = () => onProgress(report, work);
  const at = { platen, blog, account, source, about, run, report, onProgress: tell };
  await unsynced(platen, () => restoreAll(at));
  endImport(platen, run);
  const isAnything = report.posts + report.pages + report.files + report.messages > 0;
  return { report, run: isAnything ? run : null };
}

async function restoreAll(at: Restoring): Promise<void> {
  const { platen, blog, source, about, run, report } = at;
  await restoreTopics(at);
  const names = await restoreFiles(platen, blog, source, about, run, report, at.onProgress);
  // Lists show posts that share a time in the order in which they were made.
  const inOrder = ordered();
  await severalAtOnce(linesIn(source, "posts.jsonl"), async (line) => {
    if (!line) report.faults.add("A line of posts.jsonl: it cannot be read.");
    else
      await inOrder([line.created_at, line.published_at, line.updated_at], () =>
        orReported(at.report, text(line.title) || text(line.slug), () => restorePost(at, names, line)),
      );
    at.onProgress();
  });
  await restoreKomments(at);
  await restoreRevisions(at, names);
  await restoreMessages(at);
  await restoreSettings(at, names);
}

async function restoreTopics({ platen, blog, source, run }: Restoring): Promise<void> {
  for (const [path, table, kind] of [
    ["categories.jsonl", categories, "category"],
    ["tags.jsonl", tags, "tag"],
  ] as const)
    for await (const line of linesIn(source, path)) {
      const [name, slug] = [text(line?.name), text(line?.slug)];
      if (name === "" || name.length > MAX_TOPIC_NAME_LENGTH || !/^[\p{L}\p{N}_-]{1,200}$/u.test(slug))
        continue;
      inTransaction(platen, () => {
        const row = { blogId: blog.id, name, nameKey: topicNameKey(name), slug };
        const made = platen.db.insert(table).values(row).onConflictDoNothing().returning().get();
        if (made) recordMade(platen, run, kind, String(made.id), made.id);
      });
    }
  for await (const line of linesIn(source, "former-topics.jsonl")) {
    const kind = line?.kind === "tag" ? "tag" : "category";
    const table = kind === "tag" ? tags : categories;
    const isNow = and(eq(table.blogId, blog.id), eq(table.slug, text(line?.now)));
    const topicId = platen.db.select({ id: table.id }).from(table).where(isNow).get()?.id ?? null;
    const row = { blogId: blog.id, kind, slug: text(line?.slug).slice(0, 200), topicId } as const;
    if (row.slug !== "") platen.db.insert(formerTopics).values(row).onConflictDoNothing().run();
  }
}

async function restorePost(at: Restoring, names: FileNames, line: Record<string, unknown>): Promise<void> {
  const { platen, blog, account, about, run, report } = at;
  const key = postKey(about.id, line);
  const given = postIn(line);
  const changes = {
    ...given,
    content: names.inText(given.content ?? ""),
    properties: names.inValue(given.properties),
    altText: Object.fromEntries(
      Object.entries(given.altText ?? {}).map(([filename, alt]) => [names.filename(filename), alt]),
    ),
    previewImage: given.previewImage && names.filename(given.previewImage),
  };
  const createdAt = time(line.created_at, run.startedAt);
  const times = { createdAt, updatedAt: time(line.updated_at, createdAt) };
  const deletedAt = timeOrNull(line.deleted_at);
  const madeBy = isFields(line.made_by)
    ? {
        name: text(line.made_by.name).slice(0, LONGEST_TITLE),
        app: textOrNull(line.made_by.app)?.slice(0, LONGEST_TITLE) ?? null,
      }
    : null;
  const request = () => ({ blog, before: null, changes, originalTimes: times });
  const commit = (save: () => Saved) => {
    if (hasPost(platen, blog, about, line)) return false;
    const { post } = save();
    storeOldPaths(platen, post, texts(line.former_addresses));
    const slug = deletedAt ? (given.slug ?? post.slug) : post.slug;
    platen.db.update(posts).set({ madeBy, deletedAt, slug }).where(eq(posts.id, post.id)).run();
    recordMade(platen, run, "post", key, post.id);
    forgetLines(at, line.id);
    return true;
  };
  const isNew = await patiently(() => savePost(platen, { account }, request, commit));
  if (deletedAt && isNew) removeFromIndex(platen, postHere(at, line.id) as number);
  if (isNew) tellPost(report, line, run.startedAt);
  else report.known++;
}

function tellPost(report: ImportReport, line: Record<string, unknown>, at: Date): void {
  if (line.type === "page") report.pages++;
  else report.posts++;
  if (line.status !== "published") report.unpublished++;
  else if (time(line.published_at, at) > at) report.scheduled++;
}

async function restoreMessages(at: Restoring): Promise<void> {
  for await (const line of linesIn(at.source, "messages.jsonl"))
    if (line)
      await orReported(at.report, messageName(line), async () => {
        const { platen, blog, run, report } = at;
        const message = messageIn(line, run.startedAt);
        const take = () => takenAndRecorded(platen, run, () => importMessage(platen, blog, message));
        if (await patiently(take)) report.messages++;
      });
}

const messageName = (line: Record<string, unknown>) =>
  `A message of ${text(line.name).slice(0, LONGEST_TITLE)}`;

/** @param at where it does not say when it was written */
function messageIn(line: Record<string, unknown>, at: Date): ImportedMessage {
  const { status } = line;
  return {
    ...{ name: text(line.name), address: text(line.address), text: text(line.text) },
    status: status === "read" || status === "refused" ? status : "waiting",
    ...{ at: time(line.at, at), page: text(line.page) },
  };
}

/** Of a blog that has posts of its own the settings stay. */
async function restoreSettings(at: Restoring, names: FileNames): Promise<void> {
  const { platen, source, run } = at;
  const ofBlog = eq(posts.blogId, at.blog.id);
  const all = platen.db.select({ n: count() }).from(posts).where(ofBlog).get()?.n ?? 0;
  if (all > countMade(platen, run.id, "post")) return;
  const line = names.inValue(await objectIn(source, "blog.json"));
  await orReported(at.report, "The blog's settings", () => {
    const blog = blogHolding(platen, { blogId: at.blog.id });
    configureBlog(platen, blog, {
      ...settingsIn(line),
      home: parseHome(platen, blog, text(line.home)),
      navigation: parseNavigation(platen, blog, linksIn(line)),
    });
    setBlocked(platen, blog, text(line.blocked));
  });
}
