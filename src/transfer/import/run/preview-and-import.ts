import { type Account, accountById } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { isRootSegment, slugify } from "../../../blogs/slug";
import { inTransaction, unsynced } from "../../../database/transactions";
import { invalid, Refusal } from "../../../errors";
import type { ImportedKomment, PreparedKomment } from "../../../komments/writing-and-importing-komments";
import { prepareKomment } from "../../../komments/writing-and-importing-komments";
import { type ImportedMessage, importMessage, isNewMessage } from "../../../messages";
import type { Platen } from "../../../platen";
import { POST_ELEMENTS, sanitizePostHtml } from "../../../posts/content/allowed-html";
import { markdownToHtml } from "../../../posts/content/markdown";
import {
  MAX_SUMMARY_LENGTH,
  MAX_TAGS,
  MAX_TITLE_LENGTH,
  MAX_TOPIC_NAME_LENGTH,
} from "../../../posts/post/post";
import { unusedSlug } from "../../../posts/storage/slugs-and-permanent-ids";
import { checkChanges } from "../../../posts/writing/post-input";
import { assertDiskSpace } from "../../../runtime/disk-space";
import { isCleaningWarning } from "../../../text/html-sanitizer";
import { type ImportedItem, type ImportFormat, withPreviewUrls } from "../items/imported-item";
import { type Source, SourceError } from "../sources/source-files";
import { addRecord, finishImport, type ImportRow, startImport } from "./import-records";
import { countLost, countPost, ImportReport } from "./import-report";
import { FileImporter, type FilePlaces } from "./imported-media";
import type { PreparedItem } from "./saving-imported-posts";
import { isImported, prepareItem, retryWhileBusy, saveItem, toPostChanges } from "./saving-imported-posts";

export interface ImportOptions extends FilePlaces {
  blog: Blog;
  format: ImportFormat;
  source: Source;
  site: string | null;
  isPartial: boolean;
  onProgress(report: ImportReport): void;
}

export async function previewImport(platen: Platen, options: ImportOptions): Promise<ImportReport> {
  const { blog } = options;
  const report = new ImportReport();
  const files = new FileImporter(platen, blog, options, report);
  const [slugs, keys] = [new Set<string>(), new Set<string>()];
  const messages: ImportedMessage[] = [];
  const previewItem = async (item: ImportedItem) => {
    const ready = await prepareItem(platen, item, (address) => files.previewFile(address, item.name));
    if (item.title.trim() === "" && ready.content.trim() === "")
      throw invalid({ content: ["or title is required"] });
    const { slug, title = "" } = checkChanges(toPostChanges(ready));
    const requested = slug ?? slugify(title);
    const unused = requested && unusedSlug(platen, blog.id, requested, 0, slugs);
    slugs.add(unused);
    countItem(report, { ...ready, content: withPreviewUrls(ready.content) }, unused, [], platen.now());
    report.komments += item.komments.length;
  };
  for await (const item of readNewItems(platen, options, report, messages)) {
    if (keys.has(item.key)) report.known++;
    else await reportItemErrors(report, item.name, () => previewItem(item));
    keys.add(item.key);
  }
  await importMessages({ platen, blog, report, run: null }, messages);
  return report;
}

export interface ImportOutcome {
  report: ImportReport;
  /** null if nothing was imported. */
  run: ImportRow | null;
}

const CONCURRENCY = 6;

/** Skips items of an earlier run, so that an interrupted import can continue. */
export async function importItems(platen: Platen, options: ImportOptions): Promise<ImportOutcome> {
  assertDiskSpace(platen);
  const { blog, format, source, onProgress } = options;
  const report = new ImportReport();
  const run = startImport(platen, blog, format.name, source.name);
  const files = new FileImporter(platen, blog, options, report);
  const account = accountById(platen, blog.accountId) as Account;
  const messages: ImportedMessage[] = [];
  const importItem = async (item: ImportedItem) => {
    const placed = await prepareItem(platen, item, (address) => files.importFile(run, address, item.name));
    // Not later than the start of the import, because the old server's clock may have been ahead.
    const atMostStart = (at: Date) => (at > run.startedAt ? run.startedAt : at);
    const dated = item.komments.map((komment) => ({ ...komment, at: atMostStart(komment.at) }));
    const komments = await prepareKomments(report, item.name, dated);
    const saved = await saveItem(platen, { blog, account, run }, { ...placed, komments });
    if (!saved) return void report.known++;
    countItem(report, placed, saved.post.slug, saved.warnings, run.startedAt);
    report.komments += komments.length;
  };
  const items = readNewItems(platen, options, report, messages);
  const worker = async () => {
    for await (const item of items) {
      await reportItemErrors(report, item.name, () => importItem(item));
      onProgress(report);
    }
  };
  try {
    // On an error, the other workers finish their items.
    const workers = () => Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
    for (const result of await unsynced(platen, workers))
      if (result.status === "rejected") throw result.reason;
  } catch (error) {
    // `finishImport` deletes an import without records.
    if (error instanceof SourceError) finishImport(platen, run);
    throw error;
  }
  // Messages refer to pages, so the pages come first.
  await importMessages({ platen, blog, report, run }, messages);
  return { report, run: finishImport(platen, run) ? run : null };
}

/** Yields the items that no earlier import has saved. */
async function* readNewItems(
  platen: Platen,
  { format, source, blog, site, isPartial, onProgress }: ImportOptions,
  report: ImportReport,
  messages: ImportedMessage[],
): AsyncGenerator<ImportedItem> {
  const options = { zone: blog.timeZone, at: platen.now(), site, isPartial };
  for await (const found of format.read(source, await format.find(source), options)) {
    if ("message" in found) messages.push(found.message);
    else if ("skipped" in found) countLost(report, found.skipped, found.name);
    else if ("error" in found) {
      const { name, reason } = found.error;
      report.errors.add(reason.startsWith(name) ? reason : `${name}: ${reason}`);
    } else if (isImported(platen, blog, format.name, found.item)) report.known++;
    else yield found.item;
    onProgress(report);
  }
}

/** Rethrows errors that affect other items too, such as a full disk. */
export async function reportItemErrors(report: ImportReport, name: string, work: () => Promise<void>) {
  try {
    await work();
  } catch (error) {
    if (error instanceof RangeError) report.errors.add(`${name}: is nested too deeply.`);
    else if (isItemError(error)) report.errors.add(`${name}: ${error.message}`);
    else throw error;
  }
}

export function isItemError(error: unknown): error is Error {
  if (error instanceof SourceError) return true;
  return error instanceof Refusal && !/^(busy|no room|unwritable|missing)$/.test(error.kind);
}

/** Oldest first. Reports invalid komments. @param title of the post, or "" */
export async function prepareKomments(report: ImportReport, title: string, komments: ImportedKomment[]) {
  const ready: PreparedKomment[] = [];
  for (const komment of komments.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const name = `Komment by ${komment.name || "unknown"}${title && ` on ${title}`}`;
    await reportItemErrors(report, name, async () => {
      ready.push(await retryWhileBusy(() => prepareKomment(komment)));
    });
  }
  return ready;
}

/** If `run` is null, only counts the messages. */
export async function importMessages(
  { platen, blog, report, run }: Pick<ImportOptions, "blog"> & ImportOutcome & { platen: Platen },
  messages: Iterable<ImportedMessage> | AsyncIterable<ImportedMessage>,
): Promise<void> {
  const insert = (message: ImportedMessage): boolean => {
    if (!run) return isNewMessage(platen, blog, message);
    return inTransaction(platen, () => {
      const id = importMessage(platen, blog, message);
      if (id !== null) addRecord(platen, run, "message", String(id), id);
      return id !== null;
    });
  };
  for await (const message of messages)
    await reportItemErrors(report, `Message from ${message.name || "unknown"}`, async () => {
      if (await retryWhileBusy(() => insert(message))) report.messages++;
    });
}

type CountedItem = Pick<PreparedItem, "item" | "content" | "formerPaths">;

function countItem(report: ImportReport, ready: CountedItem, slug: string, warnings: string[], at: Date) {
  const { item, content, formerPaths } = ready;
  countPost(report, item, at);
  report.revisions += item.previousVersions.length;
  const [permalink] = formerPaths;
  if (permalink !== undefined && slug !== "" && permalink !== slug)
    report.changedAddresses.add(`/${permalink} → /${slug}`);
  const firstSegments = formerPaths.map((path) => path.split("/")[0] as string);
  const unreachable = firstSegments.filter((name) => isRootSegment(name) || name.startsWith("@")).length;
  if (unreachable > 0)
    countLost(report, "old URLs that Platen itself uses, which do not redirect", item.name, unreachable);
  for (const what of [
    ...limitWarnings(item),
    ...item.lost,
    ...findRemovedElements(content, item.contentType),
    ...warnings.filter((one) => !isCleaningWarning(one)).map((warning) => warning.split(/[.:]/)[0] as string),
  ])
    countLost(report, what, item.name);
}

function limitWarnings({ title, summary, category, tags, ...item }: ImportedItem): string[] {
  const isUndated = item.type === "post" && item.status === "published" && item.publishedAt === null;
  const isTopicCut = [category ?? "", ...tags].some((name) => name.length > MAX_TOPIC_NAME_LENGTH);
  const endOf = (what: string, most: number) => `the end of ${what} over ${most} characters`;
  const warnings = [
    title.length > MAX_TITLE_LENGTH && endOf("titles", MAX_TITLE_LENGTH),
    [...summary.trim()].length > MAX_SUMMARY_LENGTH && endOf("summaries", MAX_SUMMARY_LENGTH),
    tags.length > MAX_TAGS && `tags beyond ${MAX_TAGS} per post`,
    isTopicCut && endOf("category and tag names", MAX_TOPIC_NAME_LENGTH),
    isUndated && "missing dates (the import date is used)",
  ];
  return warnings.filter((warning) => warning !== false);
}

const MAX_LISTED = 20;
/** In characters. Rendering a hostile text of a megabyte takes minutes, and only a save has a time limit. */
const MAX_CHECKED_MARKDOWN = 200_000;
/** Removing these elements loses nothing: attachments are rendered later, and <picture> is only a wrapper. */
const NO_LOSS = ["action-text-attachment", "picture"];

function findRemovedElements(content: string, contentType: ImportedItem["contentType"]): string[] {
  if (!mayLoseElements(content)) return [];
  if (contentType === "markdown" && content.length > MAX_CHECKED_MARKDOWN) return [];
  const html = contentType === "html" ? content : markdownToHtml(content, { isPlain: false });
  const { dropped } = sanitizePostHtml(html);
  return [...dropped]
    .filter(([name]) => !NO_LOSS.includes(name))
    .slice(0, MAX_LISTED)
    .flatMap(([name, times]) =>
      Array.from({ length: times }, () => `<${name.slice(0, 40)}>, which posts cannot contain`),
    );
}

/** A fast check before sanitizing. Frames always need sanitizing, because only some hosts are allowed. */
function mayLoseElements(content: string): boolean {
  for (const [, name = ""] of content.matchAll(/<([a-z][\w:-]{0,60})/gi)) {
    const known = name.toLowerCase();
    if (!NO_LOSS.includes(known) && (!POST_ELEMENTS.has(known) || known === "iframe")) return true;
  }
  return false;
}
