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
import { checkChanges } from "../../../posts/writing/post-changes";
import { unusedSlug } from "../../../posts/writing/post-slug";
import { assertDiskSpace } from "../../../runtime/disk-space";
import { isOfCleaning } from "../../../text/html-sanitizer";
import type { Format } from "../formats/format";
import { type Found, type ImportedItem, type ItemFault, pathInSource } from "../items/imported-item";
import { countedSource, type Source, SourceFault, type Work } from "../sources/source";
import { type FilePlaces, FileTaker } from "./file-import";
import { beginImport, endImport, type ImportRow, madeBefore, takenAndRecorded } from "./import-records";
import { countLost, type ImportReport, newReport } from "./import-report";
import { orReported, patiently, severalAtOnce } from "./item-processing";
import { type Belonging, bringRest, broughtOf, type Piece, pieceFrom } from "./komments-and-revisions";
import { elementsLost } from "./removed-elements";
import {
  changesOf,
  formerPathsOf,
  isTaken,
  type PicturedItem,
  picturedItem,
  picturedVersions,
  type ReadyItem,
  readyVersion,
  recordName,
  saveItem,
} from "./save-item";

interface ImportWish extends FilePlaces {
  blog: Blog;
  format: Format;
  source: Source;
  /** The old site's address; null where nobody says it. */
  site: string | null;
  /** Is what is there wanted of a file that ends early? */
  isPartial: boolean;
  /** Is told how far it is, and what has come of it, whenever something was read or written. */
  onProgress(report: ImportReport, work: Work): void;
}

/** Reads everything there is and writes nothing: what an import would bring. */
export async function tryImport(platen: Platen, wish: ImportWish): Promise<ImportReport> {
  const report = newReport();
  const { source, tell: reportProgress } = await counted(wish, report);
  const taker = new FileTaker(platen, wish.blog, wish);
  const seen = { slugs: new Set<string>(), keys: new Set<string>(), files: new Set<string>() };
  const messages: ImportedMessage[] = [];
  for await (const item of itemsOf(platen, { ...wish, source }, report, (message) =>
    messages.push(message),
  )) {
    const name = recordName(wish.format.name, item);
    if (madeBefore(platen, wish.blog.id, "post", name) !== undefined || seen.keys.has(name)) report.known++;
    else await orReported(report, item.name, () => tryItem(platen, wish.blog, taker, item, report, seen));
    seen.keys.add(name);
    reportProgress();
  }
  await eachMessage(report, messages, (message) => isNewMessage(platen, wish.blog, message));
  return report;
}

/**
 * Brings everything into the blog, silently: no webhook hears of it. What was brought before is left alone, so that one
 * that was cut off goes on; what cannot be read is reported, and the rest goes on.
 * @returns `run` null: nothing was brought
 */
export async function importAll(
  platen: Platen,
  wish: ImportWish,
): Promise<{ report: ImportReport; run: ImportRow | null }> {
  assertDiskSpace(platen);
  const { blog, format } = wish;
  const report = newReport();
  const { source, tell: reportProgress } = await counted(wish, report);
  const run = beginImport(platen, blog, format.name, source.name);
  const taker = new FileTaker(platen, blog, wish);
  const account = accountById(platen, blog.accountId) as Account;
  const work = async (item: ImportedItem) => {
    const name = recordName(format.name, item);
    const isKnown = madeBefore(platen, blog.id, "post", name) !== undefined;
    const onWritten = (piece: Piece) => {
      tellPiece(report, item, piece);
      reportProgress();
    };
    if (isKnown) report.known++;
    if (!isKnown || broughtOf(platen, run, name) !== undefined)
      await orReported(report, item.name, async () => {
        const ready = await readyItem(platen, item, taker, run, report);
        if (!isKnown) {
          const first = await pieceFrom(ready.belongings, 0);
          const saved = await saveItem(platen, { blog, account, run }, ready, first);
          if (!saved) report.known++;
          else {
            tell(report, ready, saved.post.slug, saved.warnings, run.startedAt);
            tellPiece(report, item, first);
          }
        }
        await bringRest(platen, run, name, ready.belongings, onWritten);
      });
    reportProgress();
  };
  const messages: ImportedMessage[] = [];
  const items = itemsOf(platen, { ...wish, source }, report, (message) => messages.push(message));
  try {
    await unsynced(platen, () => severalAtOnce(items, work));
  } catch (fault) {
    // What cannot be read as a whole has brought nothing.
    if (fault instanceof SourceFault) endImport(platen, run);
    throw fault;
  }
  // Once the pages are there that they were written on.
  await eachMessage(report, messages, (message) =>
    takenAndRecorded(platen, run, () => importMessage(platen, blog, message)),
  );
  return { report, run: endImport(platen, run) ? run : null };
}

/** The source, whose reading is told of. */
async function counted({ source, format, onProgress }: ImportWish, report: ImportReport) {
  const texts = await format.texts(source);
  const { work, ...counted } = countedSource(source, texts, (read) => onProgress(report, read));
  return { ...counted, tell: () => onProgress(report, work) };
}

/** @param take gives whether it was new */
async function eachMessage(
  report: ImportReport,
  messages: ImportedMessage[],
  take: (message: ImportedMessage) => boolean,
): Promise<void> {
  for (const message of messages)
    await orReported(report, `A message of ${message.name || "somebody"}`, async () => {
      if (await patiently(() => take(message))) report.messages++;
    });
}

/** @param onMessage is given what is no item */
async function* itemsOf(
  platen: Platen,
  { format, source, blog, site, isPartial }: ImportWish,
  report: ImportReport,
  onMessage: (message: ImportedMessage) => void,
): AsyncGenerator<ImportedItem> {
  const reading = { zone: blog.timeZone, at: platen.now(), site, isPartial };
  for await (const found of format.read(source, reading) as AsyncIterable<Found>) {
    if ("item" in found) yield found.item;
    else if ("message" in found) onMessage(found.message);
    else if ("fault" in found) report.faults.add(faultLine(found.fault));
    else countLost(report, found.passedOver, found.name);
  }
}

/** What is wrong with a file may name it already. */
function faultLine({ name, why }: ItemFault): string {
  return why.startsWith(name) ? why : `${name}: ${why}`;
}

async function readyItem(
  platen: Platen,
  item: ImportedItem,
  taker: FileTaker,
  run: ImportRow,
  report: ImportReport,
): Promise<ReadyItem> {
  const pictured = picturedItem(platen, item);
  const versions = picturedVersions(platen, item);
  for (const { address, put, leave } of [pictured, ...versions.values()].flatMap((one) => one.pictures)) {
    const taken = await taker.take(run, address);
    if ("blob" in taken) {
      put(taken.blob);
      if (taken.isNew) report.files++;
    } else {
      leave();
      if (taken.isNew)
        report.missingFiles.add(`${pathInSource(address) ?? address} (in ${item.name}): ${taken.missing}`);
    }
  }
  const belongings: Belonging[] = [
    ...item.formerVersions.map((version) => ({ version: readyVersion(version, versions.get(version)) })),
    ...item.komments
      .map((komment) => ({ ...komment, at: notAfter(komment.at, run.startedAt) }))
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .map((komment) => ({ komment })),
  ];
  return { ...withText(item, pictured), belongings };
}

/** The clock there may have run ahead. */
function notAfter(at: Date, most: Date): Date {
  return at > most ? most : at;
}

function withText(item: ImportedItem, pictured: PicturedItem): Omit<ReadyItem, "belongings"> {
  const { altText, renamed } = pictured;
  const [content, chosen] = [pictured.content(), pictured.chosen()];
  return { item, content, altText, renamed, chosen, formerPaths: formerPathsOf(item) };
}

function tryItem(
  platen: Platen,
  blog: Blog,
  taker: FileTaker,
  item: ImportedItem,
  report: ImportReport,
  seen: { slugs: Set<string>; files: Set<string> },
): void {
  const pictured = picturedItem(platen, item);
  const versions = picturedVersions(platen, item).values();
  for (const { address } of [pictured, ...versions].flatMap((one) => one.pictures)) {
    if (seen.files.has(address)) continue;
    seen.files.add(address);
    const where = taker.whereIs(address);
    if (where === "here") report.files++;
    else if (where === "there") report.toFetch++;
    else
      report.missingFiles.add(`${pathInSource(address) ?? address} (in ${item.name}): there is no such file`);
  }
  const ready = withText(item, pictured);
  if (item.title.trim() === "" && ready.content.trim() === "")
    throw invalid({ content: ["or title must not be blank"] });
  const { slug, title = "" } = checkChanges(changesOf({ ...ready, belongings: [] }));
  const wish = slug ?? slugify(title);
  const made = wish && unusedSlug(platen, blog.id, wish, 0, seen.slugs);
  seen.slugs.add(made);
  tell(report, ready, made, [], platen.now());
  report.komments += item.komments.length;
  report.revisions += item.formerVersions.length;
}

/** @param slug "" where it is not known yet */
function tell(
  report: ImportReport,
  { item, content, formerPaths }: Pick<ReadyItem, "item" | "content" | "formerPaths">,
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
  const unreachable = formerPaths.filter(isTaken).length;
  if (unreachable > 0)
    countLost(
      report,
      "addresses that begin with a word of Platen's own, and lead nowhere",
      item.name,
      unreachable,
    );
  for (const what of tooMuchIn(item)) countLost(report, what, item.name);
  for (const what of [...item.lost, ...elementsLost({ ...item, content })])
    countLost(report, what, item.name);
  for (const warning of warnings.filter((one) => !isOfCleaning(one)))
    countLost(report, warning.split(/[.:]/)[0] as string, item.name);
}

/** What is cut off, or made up for. */
function tooMuchIn({ title, summary, category, tags, type, status, publishedAt }: ImportedItem): string[] {
  const told: string[] = [];
  if (title.length > MAX_TITLE_LENGTH)
    told.push(`the end of a title: ${MAX_TITLE_LENGTH} characters of it are kept`);
  if ([...summary.trim()].length > MAX_SUMMARY_LENGTH)
    told.push(`the end of a summary: ${MAX_SUMMARY_LENGTH} characters of it are kept`);
  if (tags.length > MAX_TAGS) told.push(`tags beyond the first ${MAX_TAGS} of a post`);
  if ([category ?? "", ...tags].some((name) => name.length > MAX_TOPIC_NAME_LENGTH))
    told.push(`the end of a category's or tag's name: ${MAX_TOPIC_NAME_LENGTH} characters of it are kept`);
  if (type === "post" && status === "published" && publishedAt === null)
    told.push("a date: there was none, and today counts");
  return told;
}

function tellPiece(
  report: ImportReport,
  { name }: ImportedItem,
  { versions, komments, faults }: Piece,
): void {
  report.revisions += versions.length;
  report.komments += komments.length;
  for (const { name: whose, why } of faults) report.faults.add(`A komment of ${whose} on ${name}: ${why}`);
}
