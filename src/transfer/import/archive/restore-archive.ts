import { type Account, accountById } from "../../../accounts/accounts";
import { configureBlog } from "../../../blogs/blog-settings";
import { type Blog, blogOfRow } from "../../../blogs/blogs";
import { MEGABYTE } from "../../../config/units";
import { countRows, insertIfNew, updateRows } from "../../../database/rows";
import { formerTopics, posts } from "../../../database/schema";
import { inTransaction, unsynced } from "../../../database/transactions";
import { setBlocked } from "../../../komments/blocked-words-and-hosts";
import { importKomments } from "../../../komments/writing-and-importing-komments";
import { parseMailAddress } from "../../../mail/mail-address";
import { hashAddress } from "../../../mail/opt-in";
import type { ImportedMessage } from "../../../messages";
import { assertRoom, insertSubscriber, subscriberWithHash } from "../../../newsletter/subscribers";
import type { Platen } from "../../../platen";
import { MAX_TOPIC_NAME_LENGTH, type PostRow } from "../../../posts/post/post";
import { parseHome, parseNavigation } from "../../../posts/reading/navigation-and-home";
import { TOPIC_TABLES, topicAtSlug, topicNameKey } from "../../../posts/storage/categories-and-tags";
import { removeFromIndex } from "../../../posts/storage/full-text-search";
import { storeOldPaths } from "../../../posts/storage/slugs-and-permanent-ids";
import { postRow } from "../../../posts/storage/stored-posts";
import { type ImportedRevision, importRevisions } from "../../../posts/writing/revisions";
import { type Saved, savePost } from "../../../posts/writing/saving";
import { assertDiskSpace } from "../../../runtime/disk-space";
import { type Fields, parseDate, textList, textOrEmpty, textOrNull } from "../items/dates-and-fields";
import {
  addRecord,
  countRecords,
  findRecord,
  finishImport,
  joinTranslations,
  removeRecord,
  startImport,
} from "../run/import-records";
import { countPost, ImportReport } from "../run/import-report";
import type { ImportOptions, ImportOutcome } from "../run/preview-and-import";
import { importMessages, prepareKomments, reportItemErrors } from "../run/preview-and-import";
import { renameFiles, retryWhileBusy } from "../run/saving-imported-posts";
import { SourceError } from "../sources/source-files";
import {
  type ArchiveContext,
  archivePostKey,
  findPostId,
  isPostPresent,
  isValidRevision,
  navigationLinks,
  parseKommentLine,
  parseMadeBy,
  parseMessageLine,
  parsePostLine,
  parseSettings,
  readArchiveInfo,
  readJsonFile,
  readJsonLines,
} from "./archive-reader";
import { type FileMapping, findRestoredFile, type RestoreContext, restoreFiles } from "./restore-files";

/** In characters. All komments or revisions of one post are in memory at the same time. */
const MAX_HISTORY_LENGTH = 256 * MEGABYTE;

type RestoreOptions = Pick<ImportOptions, "blog" | "source" | "onProgress">;

export async function previewArchive(platen: Platen, options: RestoreOptions): Promise<ImportReport> {
  const { blog, source, onProgress } = options;
  const report = new ImportReport();
  const context = { platen, blog, source, about: await readArchiveInfo(source), report };
  const known = new Set<unknown>();
  for await (const line of readJsonLines(context, "posts.jsonl")) {
    if (isPostPresent(context, line)) known.add(line.id);
    else countPost(report, parsePostLine(line), platen.now());
    report.known = known.size;
    onProgress(report);
  }
  for (const kind of ["komments", "revisions"] as const)
    for await (const line of readJsonLines(context, `${kind}.jsonl`))
      if (!known.has(line.post)) report[kind]++;
  await importMessages({ ...context, run: null }, readMessages(context, platen.now()));
  for await (const line of readJsonLines(context, "subscribers.jsonl"))
    if (newSubscriberIn(platen, blog, line) !== null) report.subscribers++;
  for await (const line of readJsonLines(context, "files.jsonl")) {
    const filename = textOrEmpty(line.filename);
    if (findRestoredFile(context, line)) continue;
    if (source.has(`media/${filename}`)) report.files++;
    else report.missingFiles.add(`${filename}: file not found`);
  }
  return report;
}

/**
 * Skips items of an earlier run, so that an interrupted restore can continue. Restores settings only if the
 * blog has no other posts.
 * @throws SourceError; Refusal
 */
export async function restoreArchive(platen: Platen, options: RestoreOptions): Promise<ImportOutcome> {
  const { blog, source, onProgress } = options;
  assertDiskSpace(platen);
  const about = await readArchiveInfo(source);
  const run = startImport(platen, blog, "platen", source.name);
  const account = accountById(platen, blog.accountId) as Account;
  const report = new ImportReport();
  const context = { platen, blog, account, source, about, run, report, onProgress: () => onProgress(report) };
  await unsynced(platen, async () => {
    await restoreTopics(context);
    const files = await restoreFiles(context);
    // Restores posts in order, because lists sort posts with equal times by id.
    for await (const line of readJsonLines(context, "posts.jsonl")) {
      const name = textOrEmpty(line.title) || textOrEmpty(line.slug);
      await reportItemErrors(report, name, () => restorePost(context, files, line));
      context.onProgress();
    }
    await restoreKomments(context);
    await restoreRevisions(context, files);
    await importMessages(context, readMessages(context, run.startedAt));
    for await (const line of readJsonLines(context, "subscribers.jsonl"))
      await reportItemErrors(report, "A subscriber", async () => {
        const add = () => inTransaction(platen, () => restoreSubscriber(platen, blog, line, run.startedAt));
        if (await retryWhileBusy(add)) report.subscribers++;
      });
    await restoreSettings(context, files);
  });
  finishImport(platen, run);
  const isAnything = report.posts + report.pages + report.files + report.messages > 0;
  return { report, run: isAnything ? run : null };
}

async function restoreTopics(context: RestoreContext): Promise<void> {
  const { platen, blog, run } = context;
  for (const [kind, path] of [["category", "categories.jsonl"] as const, ["tag", "tags.jsonl"] as const])
    for await (const line of readJsonLines(context, path)) {
      const [name, slug] = [textOrEmpty(line.name), textOrEmpty(line.slug)];
      if (name === "" || name.length > MAX_TOPIC_NAME_LENGTH || !/^[\p{L}\p{N}_-]{1,200}$/u.test(slug))
        continue;
      inTransaction(platen, () => {
        const row = { blogId: blog.id, name, nameKey: topicNameKey(name), slug };
        const made = insertIfNew(platen, TOPIC_TABLES[kind], row);
        if (made) addRecord(platen, run, kind, String(made.id), made.id);
      });
    }
  for await (const line of readJsonLines(context, "former-topics.jsonl")) {
    const kind = line.kind === "tag" ? "tag" : "category";
    const topicId = topicAtSlug(platen, kind, blog.id, textOrEmpty(line.now))?.id ?? null;
    const row = { blogId: blog.id, kind, slug: textOrEmpty(line.slug).slice(0, 200), topicId } as const;
    if (row.slug !== "") insertIfNew(platen, formerTopics, row);
  }
}

async function restorePost(context: RestoreContext, files: FileMapping, line: Fields): Promise<void> {
  const { platen, blog, account, run, report } = context;
  const fields = parsePostLine(line);
  const changes = {
    ...fields,
    content: files.inText(fields.content ?? ""),
    properties: files.inValue(fields.properties),
    ...renameFiles(fields, files.filenames),
  };
  const createdAt = parseDate(line.created_at) ?? run.startedAt;
  const originalTimes = { createdAt, updatedAt: parseDate(line.updated_at) ?? createdAt };
  const deletedAt = parseDate(line.deleted_at);
  const madeBy = parseMadeBy(line);
  const request = () => ({ blog, before: null, changes, originalTimes });
  const commit = (save: () => Saved) => {
    if (isPostPresent(context, line)) return false;
    const { post } = save();
    storeOldPaths(platen, post, textList(line.former_addresses));
    joinTranslations(platen, run, post, textOrNull(line.translation_key));
    const slug = deletedAt ? (fields.slug ?? post.slug) : post.slug;
    updateRows(platen, posts, { id: post.id }, { madeBy, deletedAt, slug });
    addRecord(platen, run, "post", archivePostKey(context, line.id), post.id);
    for (const path of HISTORY_FILES)
      removeRecord(platen, blog.id, "rest", historyKey(context, path, line.id));
    if (deletedAt) removeFromIndex(platen, post.id);
    return true;
  };
  const isNew = await retryWhileBusy(() => savePost(platen, { account }, request, commit));
  if (isNew) countPost(report, fields, run.startedAt);
  else report.known++;
}

const HISTORY_FILES = ["komments.jsonl", "revisions.jsonl"];

function historyKey(context: RestoreContext, path: string, post: unknown): string {
  return `${path} ${archivePostKey(context, post)}`;
}

async function restoreKomments(context: RestoreContext): Promise<void> {
  const { platen, report, run } = context;
  await restoreHistory(context, "komments.jsonl", async (lines) => {
    const komments = lines.map((line) => parseKommentLine(line, run.startedAt));
    const ready = await prepareKomments(report, "", komments);
    return (post) => {
      importKomments(platen, post, ready);
      report.komments += ready.length;
    };
  });
}

async function restoreRevisions(context: RestoreContext, files: FileMapping): Promise<void> {
  const { platen, report } = context;
  await restoreHistory(context, "revisions.jsonl", async (lines) => {
    const ready: ImportedRevision[] = [];
    for (const line of lines) {
      const replacedAt = parseDate(line.replaced_at);
      const fields = files.inValue(line.fields);
      if (replacedAt && isValidRevision(fields)) ready.push({ replacedAt, fields });
      else report.errors.add("A revision of a post cannot be read.");
    }
    return (post) => {
      importRevisions(platen, post.id, ready);
      report.revisions += ready.length;
    };
  });
}

/** Returns a function that inserts the rows of a post. */
type Prepare = (lines: Fields[]) => Promise<(post: PostRow) => void>;

/** Restores the lines of each post in one transaction, unless an earlier run has done so. */
async function restoreHistory(context: RestoreContext, path: string, prepare: Prepare): Promise<void> {
  const { platen, blog, run, report } = context;
  for await (const lines of groupByPost(readJsonLines(context, path))) {
    const key = historyKey(context, path, lines[0]?.post);
    const postId = findPostId(context, lines[0]?.post);
    const isRestored = () => findRecord(platen, blog.id, "rest", key) !== undefined;
    if (postId === undefined || isRestored()) continue;
    await reportItemErrors(report, `Lines of ${path}`, async () => {
      const insert = await prepare(lines);
      await retryWhileBusy(() =>
        inTransaction(platen, () => {
          const post = postRow(platen, postId);
          if (!post || isRestored()) return;
          insert(post);
          addRecord(platen, run, "rest", key, postId);
        }),
      );
    });
    context.onProgress();
  }
}

async function* groupByPost(lines: AsyncIterable<Fields>): AsyncGenerator<Fields[]> {
  let [group, length]: [Fields[], number] = [[], 0];
  for await (const line of lines) {
    if (group.length > 0 && group[0]?.post !== line.post) {
      yield group;
      [group, length] = [[], 0];
    }
    group.push(line);
    length += JSON.stringify(line).length;
    if (length > MAX_HISTORY_LENGTH)
      throw new SourceError("The archive contains too many komments or revisions of one post.");
  }
  if (group.length > 0) yield group;
}

async function* readMessages(context: ArchiveContext, at: Date): AsyncGenerator<ImportedMessage> {
  for await (const line of readJsonLines(context, "messages.jsonl")) yield parseMessageLine(line, at);
}

/** null if the line is invalid or the blog already has the address. */
function newSubscriberIn(platen: Platen, blog: Blog, line: Fields) {
  const address = parseMailAddress(textOrEmpty(line.address));
  const addressHash = address === null ? textOrEmpty(line.sha256) : hashAddress(address);
  const isHash = /^[0-9a-f]{64}$/.test(addressHash);
  const isNew = isHash && !subscriberWithHash(platen, { blogId: blog.id, addressHash });
  return isNew ? { address, addressHash } : null;
}

/**
 * Call this function in a transaction.
 * @returns whether the subscriber was added
 * @throws Refusal (conflict) if the blog has too many subscribers
 */
function restoreSubscriber(platen: Platen, blog: Blog, line: Fields, at: Date): boolean {
  const subscriber = newSubscriberIn(platen, blog, line);
  if (subscriber === null) return false;
  const language = textOrEmpty(line.language).slice(0, 35) || blog.language;
  const confirmedAt = parseDate(line.confirmed_at);
  const { address } = subscriber;
  if (address === null) {
    const leftAt = parseDate(line.left_at) ?? at;
    insertSubscriber(platen, blog, "", { state: "left", language, confirmedAt, leftAt, ...subscriber });
  } else {
    assertRoom(platen, blog);
    const state = line.state === "bounced" ? "bounced" : "confirmed";
    insertSubscriber(platen, blog, address, { state, language, confirmedAt: confirmedAt ?? at });
  }
  return true;
}

async function restoreSettings(context: RestoreContext, files: FileMapping): Promise<void> {
  const { platen, source, run } = context;
  const allPosts = countRows(platen, posts, { blogId: context.blog.id });
  if (allPosts > countRecords(platen, run.id, "post")) return;
  const line = files.inValue(await readJsonFile(source, "blog.json"));
  await reportItemErrors(context.report, "Blog settings", async () => {
    const blog = blogOfRow(platen, { blogId: context.blog.id });
    configureBlog(platen, blog, {
      ...parseSettings(line),
      home: parseHome(platen, blog, textOrEmpty(line.home)),
      navigation: parseNavigation(platen, blog, navigationLinks(line)),
    });
    setBlocked(platen, blog, textOrEmpty(line.blocked));
  });
}
