import type { StoredFile, StoredFiles } from "./stored-files";

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
