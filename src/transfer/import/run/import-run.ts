import { type Account, accountById } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { slugify } from "../../../blogs/slug";
import { unsynced } from "../../../database/transactions";
import { invalid } from "../../../errors";
import { type ImportedMessage, importMessage, isNewMessage } from "../../../messages/importing-messages";
import type { Platen } from "../../../platen";
import {
  MAX_SUMMARY_LENGTH,
  MAX_TAGS,
  MAX_TITLE_LENGTH,
  MAX_TOPIC_NAME_LENGTH,
} from "../../../posts/post/post-limits";
import { unusedSlug } from "../../../posts/storage/slugs";
import { checkChanges } from "../../../posts/writing/post-changes";
import { assertDiskSpace } from "../../../runtime/disk-space";
import { isOfCleaning } from "../../../text/html-sanitizer";
import type { ImportFormat } from "../formats/format";
import { type ImportEntry, type ImportedItem, type ItemError, sourceFilePath } from "../items/imported-item";
import { type ReadProgress, type Source, SourceError, trackReads } from "../sources/source";
import { FileImporter, type FilePlaces } from "./file-import";
import { findRecord, finishImport, type ImportRow, insertAndRecord, startImport } from "./import-records";
import { countLost, createImportReport, type ImportReport } from "./import-report";
import { forEachConcurrently, reportItemErrors, retryWhileBusy } from "./item-processing";
import {
  countWritten,
  type HistoryBatch,
  type HistoryEntry,
  takeBatch,
  writeRemainingBatches,
} from "./komments-and-revisions";
import { findRemovedElements } from "./removed-elements";
import {
  findItemMedia,
  findVersionMedia,
  type ItemMedia,
  isReservedPath,
  itemRecordName,
  type PreparedItem,
  previousPathsOf,
  saveItem,
  toPostChanges,
  toRevision,
} from "./save-item";

interface ImportOptions extends FilePlaces {
  blog: Blog;
  format: ImportFormat;
  source: Source;
  /** The old site's URL, if the user entered it. */
  site: string | null;
  /** Imports a truncated file as far as it goes. */
  isPartial: boolean;
  onProgress(report: ImportReport, work: ReadProgress): void;
}

/** Reads the whole source without importing anything. */
export async function previewImport(platen: Platen, options: ImportOptions): Promise<ImportReport> {
  const report = createImportReport();
  const { source, tell: reportProgress } = await counted(options, report);
  const taker = new FileImporter(platen, options.blog, options);
  const seen = { slugs: new Set<string>(), keys: new Set<string>(), files: new Set<string>() };
  const messages: ImportedMessage[] = [];
  for await (const item of itemsOf(platen, { ...options, source }, report, (message) =>
    messages.push(message),
  )) {
    const name = itemRecordName(options.format.name, item);
    if (findRecord(platen, options.blog.id, "post", name) !== undefined || seen.keys.has(name))
      report.known++;
    else
      await reportItemErrors(report, item.name, () =>
        tryItem(platen, options.blog, taker, item, report, seen),
      );
    seen.keys.add(name);
    reportProgress();
  }
  await importMessages(report, messages, (message) => isNewMessage(platen, options.blog, message));
  return report;
}

/**
 * Imports all items without calling webhooks. Skips items of an earlier run, so an interrupted run can be resumed.
 * @returns `run` is null if nothing was imported
 */
export async function importItems(
  platen: Platen,
  options: ImportOptions,
): Promise<{ report: ImportReport; run: ImportRow | null }> {
  assertDiskSpace(platen);
  const { blog, format } = options;
  const report = createImportReport();
  const { source, tell: reportProgress } = await counted(options, report);
  const run = startImport(platen, blog, format.name, source.name);
  const taker = new FileImporter(platen, blog, options);
  const account = accountById(platen, blog.accountId) as Account;
  const work = async (item: ImportedItem) => {
    const name = itemRecordName(format.name, item);
    const isKnown = findRecord(platen, blog.id, "post", name) !== undefined;
    const onWritten = (piece: HistoryBatch) => {
      tellPiece(report, item, piece);
      reportProgress();
    };
    if (isKnown) report.known++;
    if (!isKnown || countWritten(platen, run, name) !== undefined)
      await reportItemErrors(report, item.name, async () => {
        const ready = await readyItem(platen, item, taker, run, report);
        if (!isKnown) {
          const first = await takeBatch(ready.belongings, 0);
          const saved = await saveItem(platen, { blog, account, run }, ready, first);
          if (!saved) report.known++;
          else {
            tell(report, ready, saved.post.slug, saved.warnings, run.startedAt);
            tellPiece(report, item, first);
          }
        }
        await writeRemainingBatches(platen, run, name, ready.belongings, onWritten);
      });
    reportProgress();
  };
  const messages: ImportedMessage[] = [];
  const items = itemsOf(platen, { ...options, source }, report, (message) => messages.push(message));
  try {
    await unsynced(platen, () => forEachConcurrently(items, work));
  } catch (error) {
    // If the source cannot be read, deletes the empty import.
    if (error instanceof SourceError) finishImport(platen, run);
    throw error;
  }
  // Messages are imported last, because they refer to pages.
  await importMessages(report, messages, (message) =>
    insertAndRecord(platen, run, () => importMessage(platen, blog, message)),
  );
  return { report, run: finishImport(platen, run) ? run : null };
}

async function counted({ source, format, onProgress }: ImportOptions, report: ImportReport) {
  const texts = await format.contentFiles(source);
  const { work, ...counted } = trackReads(source, texts, (read) => onProgress(report, read));
  return { ...counted, tell: () => onProgress(report, work) };
}

/** @param take returns whether the message is new */
async function importMessages(
  report: ImportReport,
  messages: ImportedMessage[],
  take: (message: ImportedMessage) => boolean,
): Promise<void> {
  for (const message of messages)
    await reportItemErrors(report, `Message from ${message.name || "unknown"}`, async () => {
      if (await retryWhileBusy(() => take(message))) report.messages++;
    });
}

async function* itemsOf(
  platen: Platen,
  { format, source, blog, site, isPartial }: ImportOptions,
  report: ImportReport,
  onMessage: (message: ImportedMessage) => void,
): AsyncGenerator<ImportedItem> {
  const reading = { zone: blog.timeZone, at: platen.now(), site, isPartial };
  for await (const found of format.read(source, reading) as AsyncIterable<ImportEntry>) {
    if ("item" in found) yield found.item;
    else if ("message" in found) onMessage(found.message);
    else if ("error" in found) report.faults.add(errorLine(found.error));
    else countLost(report, found.skipped, found.name);
  }
}

/** Adds the name unless the error already starts with it. */
function errorLine({ name, why }: ItemError): string {
  return why.startsWith(name) ? why : `${name}: ${why}`;
}

async function readyItem(
  platen: Platen,
  item: ImportedItem,
  taker: FileImporter,
  run: ImportRow,
  report: ImportReport,
): Promise<PreparedItem> {
  const pictured = findItemMedia(platen, item);
  const versions = findVersionMedia(platen, item);
  for (const { address, put, leave } of [pictured, ...versions.values()].flatMap((one) => one.pictures)) {
    const taken = await taker.take(run, address);
    if ("blob" in taken) {
      put(taken.blob);
      if (taken.isNew) report.files++;
    } else {
      leave();
      if (taken.isNew)
        report.missingFiles.add(`${sourceFilePath(address) ?? address} (in ${item.name}): ${taken.missing}`);
    }
  }
  const belongings: HistoryEntry[] = [
    ...item.previousVersions.map((version) => ({ version: toRevision(version, versions.get(version)) })),
    ...item.komments
      .map((komment) => ({ ...komment, at: notAfter(komment.at, run.startedAt) }))
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .map((komment) => ({ komment })),
  ];
  return { ...withText(item, pictured), belongings };
}

/** Limits a time, because the old server's clock may have been ahead. */
function notAfter(at: Date, most: Date): Date {
  return at > most ? most : at;
}

function withText(item: ImportedItem, pictured: ItemMedia): Omit<PreparedItem, "belongings"> {
  const { altText, renamed } = pictured;
  const [content, chosen] = [pictured.content(), pictured.chosen()];
  return { item, content, altText, renamed, chosen, formerPaths: previousPathsOf(item) };
}

function tryItem(
  platen: Platen,
  blog: Blog,
  taker: FileImporter,
  item: ImportedItem,
  report: ImportReport,
  seen: { slugs: Set<string>; files: Set<string> },
): void {
  const pictured = findItemMedia(platen, item);
  const versions = findVersionMedia(platen, item).values();
  for (const { address } of [pictured, ...versions].flatMap((one) => one.pictures)) {
    if (seen.files.has(address)) continue;
    seen.files.add(address);
    const where = taker.whereIs(address);
    if (where === "here") report.files++;
    else if (where === "there") report.toFetch++;
    else report.missingFiles.add(`${sourceFilePath(address) ?? address} (in ${item.name}): file not found`);
  }
  const ready = withText(item, pictured);
  if (item.title.trim() === "" && ready.content.trim() === "")
    throw invalid({ content: ["or title is required"] });
  const { slug, title = "" } = checkChanges(toPostChanges({ ...ready, belongings: [] }));
  const wanted = slug ?? slugify(title);
  const made = wanted && unusedSlug(platen, blog.id, wanted, 0, seen.slugs);
  seen.slugs.add(made);
  tell(report, ready, made, [], platen.now());
  report.komments += item.komments.length;
  report.revisions += item.previousVersions.length;
}

/** @param slug "" if the slug is unknown */
function tell(
  report: ImportReport,
  { item, content, formerPaths }: Pick<PreparedItem, "item" | "content" | "formerPaths">,
  slug: string,
  warnings: string[],
  at: Date,
): void {
  if (item.type === "page") report.pages++;
  else report.posts++;
  if (item.status !== "published") report.unpublished++;
  else if (item.publishedAt && item.publishedAt > at) report.scheduled++;
  const [own] = formerPaths;
  if (own !== undefined && slug !== "" && own !== slug) report.changedAddresses.add(`/${own} → /${slug}`);
  const unreachable = formerPaths.filter(isReservedPath).length;
  if (unreachable > 0)
    countLost(report, "old URLs that Platen itself uses: they do not redirect", item.name, unreachable);
  for (const what of tooMuchIn(item)) countLost(report, what, item.name);
  for (const what of [...item.lost, ...findRemovedElements({ ...item, content })])
    countLost(report, what, item.name);
  for (const warning of warnings.filter((one) => !isOfCleaning(one)))
    countLost(report, warning.split(/[.:]/)[0] as string, item.name);
}

/** Describes the fields that exceed Platen's limits. */
function tooMuchIn({ title, summary, category, tags, type, status, publishedAt }: ImportedItem): string[] {
  const warnings: string[] = [];
  if (title.length > MAX_TITLE_LENGTH)
    warnings.push(`titles over ${MAX_TITLE_LENGTH} characters: they are cut`);
  if ([...summary.trim()].length > MAX_SUMMARY_LENGTH)
    warnings.push(`summaries over ${MAX_SUMMARY_LENGTH} characters: they are cut`);
  if (tags.length > MAX_TAGS) warnings.push(`more than ${MAX_TAGS} tags of a post`);
  if ([category ?? "", ...tags].some((name) => name.length > MAX_TOPIC_NAME_LENGTH))
    warnings.push(`category and tag names over ${MAX_TOPIC_NAME_LENGTH} characters: they are cut`);
  if (type === "post" && status === "published" && publishedAt === null)
    warnings.push("missing dates: the import date is used");
  return warnings;
}

function tellPiece(
  report: ImportReport,
  { name }: ImportedItem,
  { versions, komments, faults }: HistoryBatch,
): void {
  report.revisions += versions.length;
  report.komments += komments.length;
  for (const { name: whose, why } of faults) report.faults.add(`Komment by ${whose} on ${name}: ${why}`);
}
