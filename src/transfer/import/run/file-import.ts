import type { Blog } from "../../../blogs/blogs";
import { SECOND } from "../../../config/units";
import { Refusal } from "../../../errors";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import { MAX_FILE_BYTES } from "../../../media/files/file-formats-and-limits";
import { receiveUpload, storeUpload } from "../../../media/uploads";
import { guardedClient } from "../../../outgoing/guarded-client";
import type { HttpClient } from "../../../outgoing/http-client";
import { bodyWithin, IncompleteResponse } from "../../../outgoing/response-body";
import type { Platen } from "../../../platen";
import { decodePath, sourceFilePath } from "../items/imported-item";
import { type Source, SourceError } from "../sources/source";
import { addRecord, findRecord, type ImportRow } from "./import-records";

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

/** `missing` is the reason, a phrase without a full stop. */
type FoundFile = { blob: StoredBlob } | { missing: string };
/** `isNew`: not from an earlier call. */
type ImportedFile = FoundFile & { isNew: boolean };

export class FileImporter {
  private readonly client: HttpClient;
  private readonly pending = new Map<string, Promise<FoundFile>>();
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly platen: Platen,
    private readonly blog: Blog,
    private readonly places: FilePlaces,
  ) {
    this.client = guardedClient(platen.config);
  }

  /** @param address an absolute URL: http:, https: or source: */
  async importFile(run: ImportRow, address: string): Promise<ImportedFile> {
    const before = this.blobOf(address);
    if (before) return { blob: before, isNew: false };
    const isNew = !this.pending.has(address);
    const file = await this.pending.getOrInsertComputed(address, () => this.importNewFile(run, address));
    if ("blob" in file) this.pending.delete(address);
    return { ...file, isNew };
  }

  locate(address: string): "local" | "remote" | "missing" {
    if (this.blobOf(address) || this.localFile(address)) return "local";
    return this.places.mayFetch && sourceFilePath(address) === null ? "remote" : "missing";
  }

  private blobOf(address: string): StoredBlob | undefined {
    const id = findRecord(this.platen, this.blog.id, "file", address);
    return id === undefined ? undefined : blobWithId(this.platen, id);
  }

  private async importNewFile(run: ImportRow, address: string): Promise<FoundFile> {
    try {
      const local = this.localFile(address);
      const { bytes, name } = local
        ? { bytes: local.source.bytes(local.path), name: local.path }
        : await this.download(address);
      const received = await receiveUpload(this.platen, bytes, decodePath(name));
      const blob = await storeUpload(this.platen, this.blog, received, {}, ({ id }) =>
        addRecord(this.platen, run, "file", address, id),
      );
      return { blob };
    } catch (error) {
      if (error instanceof IncompleteResponse) return { missing: error.failure.failed };
      const isFileError =
        error instanceof SourceError || (error instanceof Refusal && error.kind !== "no room");
      if (!isFileError) throw error;
      return { missing: error.message.replace(/\.$/, "") };
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
