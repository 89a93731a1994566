import { eq } from "drizzle-orm";
import { blobs } from "../../../database/schema";
import { sgidOf } from "../../../media/attachment-element";
import type { StoredBlob } from "../../../media/files/blobs";
import { receiveUpload, storeUpload } from "../../../media/uploads";
import type { Platen } from "../../../platen";
import { dateOr, textOrEmpty } from "../items/exported-lines";
import { addRecord } from "../run/import-records";
import { isItemError, retryWhileBusy } from "../run/item-processing";
import { SourceError } from "../sources/source";
import { type Fields, readJsonLines } from "./archive-reader";
import { archiveFileKey, findRestoredFile, type RestoreContext } from "./restore-context";

/** A signed file id. */
const SGID = /[\w-]{4,60}\.[\w-]{20,100}/g;

/** Maps ids, folders and names of the archive's files to those of the imported files. */
export class FileMapping {
  private readonly sgids = new Map<string, string>();
  private readonly folders = new Map<string, string>();
  private readonly filenames = new Map<string, string>();

  constructor(
    private readonly platen: Platen,
    private readonly formerBase: string,
  ) {}

  add({ sgid, folder, filename }: Fields, blob: StoredBlob): void {
    this.sgids.set(textOrEmpty(sgid), sgidOf(this.platen, blob));
    this.folders.set(textOrEmpty(folder), blob.folder);
    this.filenames.set(textOrEmpty(filename), blob.filename);
  }

  filename(former: string): string {
    return this.filenames.get(former) ?? former;
  }

  inText(written: string): string {
    if (!written.includes(".") && !written.includes("/media/")) return written;
    const base = this.platen.config.url;
    return written
      .replaceAll(`${this.formerBase}/media/`, `${base}/media/`)
      .replace(/\/media\/([0-9a-f]{32})(?=\/)/g, (whole, folder) =>
        this.folders.has(folder) ? `/media/${this.folders.get(folder)}` : whole,
      )
      .replace(SGID, (sgid) => this.sgids.get(sgid) ?? sgid);
  }

  inValue<Value>(value: Value): Value {
    return value === undefined ? value : JSON.parse(this.inText(JSON.stringify(value)));
  }
}

/** Imports each file once, with the same checks as for uploads. */
export async function restoreFiles(at: RestoreContext): Promise<FileMapping> {
  const { platen, about, report } = at;
  const files = new FileMapping(platen, about.url);
  for await (const line of readJsonLines(at, "files.jsonl")) {
    const filename = textOrEmpty(line.filename);
    try {
      files.add(
        line,
        findRestoredFile(at, line) ?? (await retryWhileBusy(() => restoreFile(at, line, filename))),
      );
    } catch (error) {
      if (!isItemError(error)) throw error;
      report.missingFiles.add(`${filename}: ${error.message.replace(/\.$/, "")}`);
    }
    at.onProgress();
  }
  return files;
}

/** A focal point is a part of a page's style. */
const FOCUS = /^\d{1,3}% \d{1,3}%$/;

async function restoreFile(at: RestoreContext, line: Fields, filename: string): Promise<StoredBlob> {
  const { platen, blog, source, run, report } = at;
  const path = `media/${filename}`;
  if (!source.has(path)) throw new SourceError("file not found");
  const received = await receiveUpload(platen, source.bytes(path), filename);
  const posterPath = `media/posters/${filename}.webp`;
  const poster = source.has(posterPath)
    ? await receiveUpload(platen, source.bytes(posterPath), "poster.webp", "poster")
    : undefined;
  const focus = FOCUS.test(textOrEmpty(line.focus)) ? textOrEmpty(line.focus) : "";
  const createdAt = dateOr(line.at, platen.now());
  const details = { caption: textOrEmpty(line.caption), poster };
  const blob = await storeUpload(platen, blog, received, details, ({ id }) => {
    platen.db.update(blobs).set({ createdAt, focus }).where(eq(blobs.id, id)).run();
    addRecord(platen, run, "file", archiveFileKey(at, line), id);
  });
  report.files++;
  return blob;
}
