import type { Account } from "../../../accounts/accounts";
import { findRow, updateRows } from "../../../database/rows";
import { blobs } from "../../../database/schema";
import { sgidOf } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import { receiveUpload, storeUpload } from "../../../media/uploads";
import type { Platen } from "../../../platen";
import { type Fields, parseDate, textOrEmpty } from "../items/dates-and-fields";
import { addRecord, findRecord, type ImportRow } from "../run/import-records";
import { isItemError } from "../run/preview-and-import";
import { retryWhileBusy } from "../run/saving-imported-posts";
import { SourceError } from "../sources/source-files";
import { type ArchiveContext, isArchiveOfBlog, readJsonLines } from "./archive-reader";

const SGID = /[\w-]{4,60}\.[\w-]{20,100}/g;

export class FileMapping {
  private readonly sgids = new Map<string, string>();
  private readonly folders = new Map<string, string>();
  readonly filenames = new Map<string, string>();

  constructor(
    private readonly platen: Platen,
    private readonly oldBase: string,
  ) {}

  add({ sgid, folder, filename }: Fields, blob: StoredBlob): void {
    this.sgids.set(textOrEmpty(sgid), sgidOf(this.platen, blob));
    this.folders.set(textOrEmpty(folder), blob.folder);
    this.filenames.set(textOrEmpty(filename), blob.filename);
  }

  inText(written: string): string {
    const base = this.platen.config.url;
    return written
      .replaceAll(`${this.oldBase}/media/`, `${base}/media/`)
      .replace(/\/media\/([0-9a-f]{32})(?=\/)/g, (whole, folder) =>
        this.folders.has(folder) ? `/media/${this.folders.get(folder)}` : whole,
      )
      .replace(SGID, (sgid) => this.sgids.get(sgid) ?? sgid);
  }

  inValue<Value>(value: Value): Value {
    return value === undefined ? value : JSON.parse(this.inText(JSON.stringify(value)));
  }
}

export async function restoreFiles(context: RestoreContext): Promise<FileMapping> {
  const { platen, about, report } = context;
  const files = new FileMapping(platen, about.url);
  for await (const line of readJsonLines(context, "files.jsonl")) {
    const filename = textOrEmpty(line.filename);
    try {
      const before = findRestoredFile(context, line);
      files.add(line, before ?? (await retryWhileBusy(() => restoreFile(context, line, filename))));
    } catch (error) {
      if (!isItemError(error)) throw error;
      report.missingFiles.add(`${filename}: ${error.message.replace(/\.$/, "")}`);
    }
    context.onProgress();
  }
  return files;
}

/** Strict, because pages insert the focal point into a stylesheet. */
const FOCUS = /^\d{1,3}% \d{1,3}%$/;

async function restoreFile(context: RestoreContext, line: Fields, filename: string): Promise<StoredBlob> {
  const { platen, blog, source, run, report } = context;
  const path = `media/${filename}`;
  if (!source.has(path)) throw new SourceError("file not found");
  const received = await receiveUpload(platen, source.bytes(path), filename);
  const posterPath = `media/posters/${filename}.webp`;
  const poster = source.has(posterPath)
    ? await receiveUpload(platen, source.bytes(posterPath), "poster.webp", "poster")
    : undefined;
  const focus = FOCUS.test(textOrEmpty(line.focus)) ? textOrEmpty(line.focus) : "";
  const createdAt = parseDate(line.at) ?? platen.now();
  const details = { caption: textOrEmpty(line.caption), poster };
  const blob = await storeUpload(platen, blog, received, details, ({ id }) => {
    updateRows(platen, blobs, { id }, { createdAt, focus });
    addRecord(platen, run, "file", archiveFileKey(context, line), id);
  });
  report.files++;
  return blob;
}

export interface RestoreContext extends ArchiveContext {
  account: Account;
  run: ImportRow;
  onProgress(): void;
}

function archiveFileKey({ about }: ArchiveContext, { folder }: Fields): string {
  return `platen ${about.id} ${textOrEmpty(folder)}`;
}

export function findRestoredFile(context: ArchiveContext, line: Fields): StoredBlob | undefined {
  const { platen, blog } = context;
  const same = { blogId: blog.id, folder: textOrEmpty(line.folder) };
  const own = isArchiveOfBlog(context) ? findRow(platen, blobs, same) : undefined;
  const restored = findRecord(platen, blog.id, "file", archiveFileKey(context, line));
  return own ?? (restored === undefined ? undefined : blobWithId(platen, restored));
}
