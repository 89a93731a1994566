import type { StoredFile, UploadQueue } from "./upload-queue";

/** The stored files that the editor shows, by sgid. */
export class FileDetails {
  readonly files: Map<string, StoredFile>;
  readonly listeners = new Set<() => void>();
  #requested = new Set<string>();

  constructor(readonly queue: UploadQueue) {
    const files: StoredFile[] = JSON.parse(queue.form.dataset.files ?? "[]");
    this.files = new Map(files.map((file) => [file.sgid, file]));
  }

  request(sgid: string): void {
    if (!sgid || this.files.has(sgid) || this.#requested.has(sgid)) return;
    this.#requested.add(sgid);
    void this.#load(sgid);
  }

  /**
   * x and y are percentages. `fetch` follows the redirect, so the redirect's toast does not appear on the
   * user's next page.
   */
  saveFocus({ page }: StoredFile, x: number, y: number): void {
    const { form, token } = this.queue;
    const body = new URLSearchParams({ token, x: String(x), y: String(y) });
    const address = form.dataset.uploads?.replace(/\/uploads$/, `${page}/focus`) ?? "";
    void fetch(address, { method: "POST", body, keepalive: true }).catch(() => {});
  }

  async #load(sgid: string): Promise<void> {
    const address = `${this.queue.form.dataset.uploads}?${new URLSearchParams({ sgid })}`;
    const response = await fetch(address).catch(() => null);
    if (!response?.ok) return;
    const { files } = (await response.json()) as { files: StoredFile[] };
    for (const file of files) this.files.set(file.sgid, file);
    if (files.length > 0) this.notify();
  }

  notify(): void {
    for (const listener of this.listeners) listener();
  }
}
