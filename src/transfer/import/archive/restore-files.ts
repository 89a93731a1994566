import { and, eq } from "drizzle-orm";
import type { Blog } from "../../../blogs/blogs";
import { blobs } from "../../../database/schema";
import { sgidOf } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import { receiveUpload, storeUpload } from "../../../media/uploads";
import type { Platen } from "../../../platen";
import { dateOr, textOrEmpty } from "../items/exported-lines";
import { addRecord, findRecord, type ImportRow } from "../run/import-records";
import type { ImportReport } from "../run/import-report";
import { isItemError, retryWhileBusy } from "../run/item-processing";
import { type Source, SourceError } from "../sources/source";
import { type ArchiveInfo, readJsonLines } from "./archive-reader";
import { isArchiveOfBlog } from "./restore-context";

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

  add(former: { sgid: string; folder: string; filename: string }, blob: StoredBlob): void {
    this.sgids.set(former.sgid, sgidOf(this.platen, blob));
    this.folders.set(former.folder, blob.folder);
    if (former.filename !== blob.filename) this.filenames.set(former.filename, blob.filename);
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
export async function restoreFiles(
  platen: Platen,
  blog: Blog,
  source: Source,
  about: ArchiveInfo,
  run: ImportRow,
  report: ImportReport,
  onProgress: () => void,
): Promise<FileMapping> {
  const names = new FileMapping(platen, about.url);
  for await (const line of readJsonLines(source, "files.jsonl")) {
    const former = {
      sgid: textOrEmpty(line?.sgid),
      folder: textOrEmpty(line?.folder),
      filename: textOrEmpty(line?.filename),
    };
    if (!line || former.filename === "") {
      report.faults.add("Invalid line in files.jsonl.");
      continue;
    }
    try {
      const restore = () => restoredFile(platen, blog, source, about, run, report, line);
      names.add(former, await retryWhileBusy(restore));
    } catch (error) {
      if (!isItemError(error)) throw error;
      report.missingFiles.add(`${former.filename}: ${error.message.replace(/\.$/, "")}`);
    }
    onProgress();
  }
  return names;
}

/** The original file, if this is the exported blog and still has the file. */
function ownFile(
  platen: Platen,
  blog: Blog,
  about: ArchiveInfo,
  line: Record<string, unknown>,
): StoredBlob | undefined {
  if (!isArchiveOfBlog(platen, blog, about)) return undefined;
  const isSame = and(eq(blobs.blogId, blog.id), eq(blobs.folder, textOrEmpty(line.folder)));
  return platen.db.select().from(blobs).where(isSame).get();
}

function nameOfFile(archive: string, { folder }: Record<string, unknown>): string {
  return `platen ${archive} ${textOrEmpty(folder)}`;
}

/** The file that an earlier run imported, or the original file. */
export function findRestoredFile(
  platen: Platen,
  blog: Blog,
  about: ArchiveInfo,
  line: Record<string, unknown>,
): StoredBlob | undefined {
  const made = findRecord(platen, blog.id, "file", nameOfFile(about.id, line));
  return ownFile(platen, blog, about, line) ?? (made === undefined ? undefined : blobWithId(platen, made));
}

/** A focal point is a part of a page's style. */
const FOCUS = /^\d{1,3}% \d{1,3}%$/;

async function restoredFile(
  platen: Platen,
  blog: Blog,
  source: Source,
  about: ArchiveInfo,
  run: ImportRow,
  report: ImportReport,
  line: Record<string, unknown>,
): Promise<StoredBlob> {
  const filename = textOrEmpty(line.filename);
  const name = nameOfFile(about.id, line);
  const before = findRestoredFile(platen, blog, about, line);
  if (before) return before;
  const path = `media/${filename}`;
  if (!source.has(path)) throw new SourceError("file not found");
  const received = await receiveUpload(platen, source.bytes(path), filename);
  const posterPath = `media/posters/${filename}.webp`;
  const poster = source.has(posterPath)
    ? await receiveUpload(platen, source.bytes(posterPath), "poster.webp", "poster")
    : undefined;
  const focus = FOCUS.test(textOrEmpty(line.focus)) ? textOrEmpty(line.focus) : "";
  const createdAt = dateOr(line.at, platen.now());
  const blob = await storeUpload(
    platen,
    blog,
    received,
    { caption: textOrEmpty(line.caption), poster },
    ({ id }) => {
      platen.db.update(blobs).set({ createdAt, focus }).where(eq(blobs.id, id)).run();
      addRecord(platen, run, "file", name, id);
    },
  );
  report.files++;
  return blob;
}
