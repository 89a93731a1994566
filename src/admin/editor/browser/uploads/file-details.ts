/** As returned by src/admin/editor/form/editor-files.ts. */
export interface StoredFile {
  sgid: string;
  filename: string;
  contentType: string;
  mediaType: "image" | "video";
  url: string;
  thumbnail: string;
  srcset: string;
  width: number | null;
  height: number | null;
  /** Path of the file's page, below the blog's path in the admin. */
  page: string;
  /** CSS position of the part that a cropped picture shows; "" for the center. */
  focus: string;
  /** The default caption and the default alt text. */
  caption: string;
}

export type StoredFiles = Map<string, StoredFile>;

export class FileDetails {
  #requested = new Set<string>();
  readonly listeners = new Set<() => void>();

  constructor(
    readonly address: string,
    readonly files: StoredFiles,
    readonly token: string,
  ) {}

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
    const body = new URLSearchParams({ token: this.token, x: String(x), y: String(y) });
    void fetch(`${this.address.replace(/\/uploads$/, "")}${page}/focus`, {
      method: "POST",
      body,
      keepalive: true,
    }).catch(() => {});
  }

  async #load(sgid: string): Promise<void> {
    const response = await fetch(`${this.address}?${new URLSearchParams({ sgid })}`).catch(() => null);
    if (!response?.ok) return;
    const { files } = (await response.json()) as { files: StoredFile[] };
    for (const file of files) this.files.set(file.sgid, file);
    if (files.length > 0) this.notify();
  }

  notify(): void {
    for (const listener of this.listeners) listener();
  }
}
