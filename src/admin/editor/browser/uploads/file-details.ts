/** The other end of form/editor-files.ts. */
export interface StoredFile {
  sgid: string;
  filename: string;
  contentType: string;
  mediaType: "image" | "video";
  url: string;
  /** A smaller picture, or a video's poster. */
  thumbnail: string;
  width: number | null;
  height: number | null;
  /** Used when there is no alt text. */
  caption: string;
}

/** By signed id. */
export type StoredFiles = Map<string, StoredFile>;

/** Loads details of files that the page did not have when it opened. */
export class FileAsking {
  #asked = new Set<string>();
  #next = new Set<string>();
  readonly told = new Set<() => void>();

  constructor(
    readonly address: string,
    readonly files: StoredFiles,
  ) {}

  /** Batches the files of one microtask into one request. */
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
