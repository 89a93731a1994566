import type { Blog } from "../../../blogs/blogs";
import { SECOND } from "../../../config/units";
import { Refusal } from "../../../errors";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import { MAX_FILE_BYTES } from "../../../media/files/file-formats-and-limits";
import { receiveUpload, storeUpload } from "../../../media/uploads";
import { guardedClient } from "../../../outgoing/guarded-client";
import { bodyWithin, type HttpClient, IncompleteResponse } from "../../../outgoing/http-client";
import type { Platen } from "../../../platen";
import { decodePath, sourceFilePath } from "../items/imported-item";
import { type Source, SourceError } from "../sources/source-files";
import { addRecord, findRecord, type ImportRow } from "./import-records";
import type { ImportReport } from "./import-report";

const FETCH_TIMEOUT_MS = 120 * SECOND;
const MAX_REDIRECTS = 5;
/** After so many consecutive failures, files from the host are skipped. */
const MAX_FAILURES = 3;
/** In characters. Every suffix of a path is looked up. */
const MAX_PATH_LENGTH = 4096;
/** Files in these folders may be published at URLs without the folder's path. */
const SITE_FOLDERS = ["static", "assets", "public", "content", "source", "src", "wp-content/uploads"];

export interface FilePlaces {
  source: Source;
  media: Source | null;
  mayFetch: boolean;
  /** Blocks the hosts in PLATEN_PRIVATE_HOSTS, and hides the addresses of private hosts. */
  isForAuthor?: boolean;
}

/** Counts each file once in the report. */
export class FileImporter {
  private readonly client: HttpClient;
  private readonly pending = new Map<string, Promise<StoredBlob | null>>();
  private readonly previewed = new Set<string>();
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly platen: Platen,
    private readonly blog: Blog,
    private readonly places: FilePlaces,
    private readonly report: ImportReport,
  ) {
    this.client = guardedClient(platen.config);
  }

  /**
   * @param address an absolute URL: http:, https: or source:
   * @returns null if the file is missing
   */
  async importFile(run: ImportRow, address: string, itemName: string): Promise<StoredBlob | null> {
    const before = this.blobOf(address);
    if (before) return before;
    const importNew = () => this.importNewFile(run, address, itemName);
    const blob = await this.pending.getOrInsertComputed(address, importNew);
    if (blob) this.pending.delete(address);
    return blob;
  }

  async previewFile(address: string, itemName: string): Promise<null> {
    if (this.previewed.has(address)) return null;
    this.previewed.add(address);
    if (this.blobOf(address) || this.localFile(address)) this.report.files++;
    else if (this.places.mayFetch && sourceFilePath(address) === null) this.report.toFetch++;
    else this.reportMissing(address, itemName, "file not found");
    return null;
  }

  /** @param reason a phrase without a full stop */
  private reportMissing(address: string, itemName: string, reason: string): void {
    this.report.missingFiles.add(`${sourceFilePath(address) ?? address} (in ${itemName}): ${reason}`);
  }

  private blobOf(address: string): StoredBlob | undefined {
    const id = findRecord(this.platen, this.blog.id, "file", address);
    return id === undefined ? undefined : blobWithId(this.platen, id);
  }

  private async importNewFile(run: ImportRow, address: string, itemName: string): Promise<StoredBlob | null> {
    try {
      const local = this.localFile(address);
      const { bytes, name } = local
        ? { bytes: local.source.bytes(local.path), name: local.path }
        : await this.download(address);
      const received = await receiveUpload(this.platen, bytes, decodePath(name));
      const blob = await storeUpload(this.platen, this.blog, received, {}, ({ id }) =>
        addRecord(this.platen, run, "file", address, id),
      );
      this.report.files++;
      return blob;
    } catch (error) {
      const isRefused = error instanceof Refusal && error.kind !== "no room";
      if (error instanceof IncompleteResponse) this.reportMissing(address, itemName, error.failure.failed);
      else if (isRefused || error instanceof SourceError)
        this.reportMissing(address, itemName, error.message.replace(/\.$/, ""));
      else throw error;
      return null;
    }
  }

  private localFile(address: string): { source: Source; path: string } | null {
    const inSource = sourceFilePath(address);
    const path = inSource ?? decodePath(new URL(address).pathname.slice(1));
    for (const source of [this.places.media, this.places.source]) {
      const found = source && (inSource === null ? fileAtEndOf(source, path) : fileAt(source, path));
      if (found) return { source, path: found };
    }
    return null;
  }

  private async download(address: string): Promise<{ bytes: AsyncIterable<Uint8Array>; name: string }> {
    if (sourceFilePath(address) !== null) throw new SourceError("file not found");
    if (!this.places.mayFetch) throw new SourceError("downloads are off");
    const { host } = new URL(address);
    const failures = this.failures.get(host) ?? 0;
    if (failures >= MAX_FAILURES) throw new SourceError(`${host} did not respond to an earlier request`);
    const response = await this.client.send({
      url: address,
      headers: { accept: "image/*,video/*;q=0.9" },
      isForAdmin: !this.places.isForAuthor,
      within: FETCH_TIMEOUT_MS,
      redirects: MAX_REDIRECTS,
    });
    if ("failed" in response) {
      this.failures.set(host, failures + 1);
      throw new SourceError(response.failed);
    }
    this.failures.delete(host);
    if (response.statusCode !== 200) {
      response.close();
      throw new SourceError(`the server responded ${response.statusCode}`);
    }
    return { bytes: bodyWithin(response, MAX_FILE_BYTES.video), name: new URL(response.url).pathname };
  }
}

function fileAt(source: Source, path: string): string | null {
  const others = [...SITE_FOLDERS.map((folder) => `${folder}/${path}`), path.replace(/^content\//, "")];
  return [path, ...others].find((one) => source.has(one)) ?? null;
}

/** Finds "wp-content/uploads/2013/05/tea.jpg" also as "uploads/2013/05/tea.jpg" or "tea.jpg". */
function fileAtEndOf(source: Source, path: string): string | null {
  if (path.length > MAX_PATH_LENGTH) return null;
  const names = path.split("/");
  for (let first = 0; first < names.length; first++) {
    const found = fileAt(source, names.slice(first).join("/"));
    if (found) return found;
  }
  return null;
}
