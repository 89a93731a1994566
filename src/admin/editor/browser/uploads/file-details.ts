/** A file of the blog, as the server tells of it. */
export interface StoredFile {
  sgid: string;
  filename: string;
  contentType: string;
  mediaType: "image" | "video";
  url: string;
  /** A smaller picture of it; a video's poster. */
  thumbnail: string;
  width: number | null;
  height: number | null;
  /** What it was uploaded with; stands in for an alt text that was not given. */
  caption: string;
}

/** Those that the page may show, by signed id. */
export type StoredFiles = Map<string, StoredFile>;

/** Asks the server for what the page was not given: files that were pasted, or put in by a script. */
export class FileAsking {
  #asked = new Set<string>();
  #next = new Set<string>();
  /** Called when more is known. */
  readonly told = new Set<() => void>();

  constructor(
    readonly address: string,
    readonly files: StoredFiles,
  ) {}

  /** All that are shown at once are asked for together, and none twice. */
  ask(sgid: string): void {
    if (!sgid || this.files.has(sgid) || this.#asked.has(sgid)) return;
    this.#asked.add(sgid);
    if (this.#next.size === 0) queueMicrotask(() => this.#send());
    this.#next.add(sgid);
  }

  async #send(): Promise<void> {
    const query = new URLSearchParams([...this.#next].map((sgid) => ["sgid", sgid]));
    this.#next.clear();
    const answer = await fetch(`${this.address}?${query}`).catch(() => null);
    if (!answer?.ok) return;
    const { files } = (await answer.json()) as { files: StoredFile[] };
    for (const file of files) this.files.set(file.sgid, file);
    if (files.length > 0) for (const tell of this.told) tell();
  }
}
