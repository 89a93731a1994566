import { button, element } from "./elements-and-icons";

const MAX_PARALLEL_UPLOADS = 3;

/** As returned by src/admin/editor/editor-files.ts. */
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

export interface Upload {
  id: string;
  file: File;
  /** The URL that the server fetches; "" for a local file. */
  address: string;
  preview: string;
  /** Uploaded fraction, from 0 to 1. */
  progress: number;
  error: string;
  stored: StoredFile | null;
}

export class UploadQueue {
  readonly uploads = new Map<string, Upload>();
  /** Stored files by sgid. */
  readonly files: Map<string, StoredFile>;
  /** Called when an upload or a stored file has changed. */
  readonly listeners = new Set<() => void>();
  /** Messages to the user. Put this element into the page. */
  readonly notes = element("div", { className: "upload-messages", role: "status" });
  readonly token: string;
  /** Media types, separated by commas. */
  readonly accepted: string;
  #waiting: Upload[] = [];
  #running = new Map<Upload, Promise<void>>();
  #requested = new Set<string>();

  constructor(
    readonly form: HTMLFormElement,
    readonly onChange: (upload: Upload) => void,
  ) {
    const files: StoredFile[] = JSON.parse(form.dataset.files ?? "[]");
    this.files = new Map(files.map((file) => [file.sgid, file]));
    this.accepted = form.querySelector<HTMLInputElement>("input[type=file]")?.accept ?? "";
    this.token = form.querySelector<HTMLInputElement>('input[name="token"]')?.value ?? "";
  }

  notify(sentence: string): HTMLElement {
    const close = button("Close", () => note.remove());
    const note = element("p", {}, sentence, close);
    this.notes.append(note);
    return note;
  }

  /** Loads an unknown file in the background. */
  fileWith(sgid: string): StoredFile | undefined {
    if (sgid && !this.files.has(sgid) && !this.#requested.has(sgid)) void this.#load(sgid);
    return this.files.get(sgid);
  }

  async #load(sgid: string): Promise<void> {
    this.#requested.add(sgid);
    const response = await fetch(`${this.form.dataset.uploads}?${new URLSearchParams({ sgid })}`).catch(
      () => null,
    );
    if (!response?.ok) return;
    const { files } = (await response.json()) as { files: StoredFile[] };
    for (const file of files) this.files.set(file.sgid, file);
    if (files.length > 0) this.#callListeners();
  }

  /**
   * x and y are percentages. `fetch` follows the redirect, so the redirect's toast does not appear on the
   * user's next page.
   */
  saveFocus(file: StoredFile, x: number, y: number): void {
    file.focus = `${x}% ${y}%`;
    this.#callListeners();
    const body = new URLSearchParams({ token: this.token, x: String(x), y: String(y) });
    const address = this.form.dataset.uploads?.replace(/\/uploads$/, `${file.page}/focus`) ?? "";
    void fetch(address, { method: "POST", body, keepalive: true }).catch(() => {});
  }

  #callListeners(): void {
    for (const listener of this.listeners) listener();
  }

  #changed(upload: Upload): void {
    if (upload.stored) this.files.set(upload.stored.sgid, upload.stored);
    this.onChange(upload);
    this.#callListeners();
  }

  /** @returns null if the file cannot be used; the user is then notified */
  add(file: File): Upload | null {
    const error = uploadError(file, this.accepted);
    if (error) this.notify(error);
    return error ? null : this.start(this.#make({ file, preview: URL.createObjectURL(file) }));
  }

  /** Call `start` to begin. */
  addRemote(address: string): Upload {
    const name = new URL(address).pathname.split("/").at(-1) || "picture";
    return this.#make({ file: new File([], name), address });
  }

  #make(fields: Pick<Upload, "file"> & Partial<Upload>): Upload {
    const id = crypto.randomUUID();
    const upload = { id, address: "", preview: "", progress: 0, error: "", stored: null, ...fields };
    this.uploads.set(id, upload);
    return upload;
  }

  /** Starts the upload, or repeats a failed one. */
  start(upload: Upload): Upload {
    upload.error = "";
    this.#changed(upload);
    this.#waiting.push(upload);
    this.#next();
    return upload;
  }

  get unfinished(): Upload[] {
    return [...this.#running.keys(), ...this.#waiting];
  }

  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.race(this.#running.values());
  }

  #next(): void {
    while (this.#running.size < MAX_PARALLEL_UPLOADS) {
      const upload = this.#waiting.shift();
      if (!upload) break;
      const sending = this.#send(upload).finally(() => {
        this.#running.delete(upload);
        this.#changed(upload);
        this.#next();
      });
      this.#running.set(upload, sending);
    }
  }

  /** Uses XMLHttpRequest, because fetch reports no upload progress. */
  #send(upload: Upload): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const request = new XMLHttpRequest();
    request.open("POST", this.form.dataset.uploads ?? "");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => {
      upload.progress = total > 0 ? loaded / total : 0;
      this.#changed(upload);
    };
    request.onloadend = () => {
      if (request.status === 201) upload.stored = request.response.file as StoredFile;
      else if (request.status === 0) upload.error = "The server can't be reached.";
      else upload.error = request.response?.message ?? "The server rejected the file.";
      resolve();
    };
    const body = new FormData();
    body.append("token", this.token);
    if (upload.address) body.append("address", upload.address);
    else body.append("file", upload.file, upload.file.name);
    request.send(body);
    return promise;
  }
}

const MEGABYTE = 1_048_576;

/** Allows types that the browser does not know, because the server checks the content. */
function uploadError({ name, type, size }: File, accepted: string): string | null {
  if (type !== "" && !accepted.split(",").includes(type))
    return `${name} can't be used. Pictures: JPEG, PNG, GIF, WebP, AVIF or HEIC. Videos: MP4, MOV or WebM.`;
  if (size === 0) return `${name} is empty.`;
  // As in docs/api.md.
  const [kind, megabytes] = type.startsWith("video/") ? ["Videos", 250] : ["Pictures", 20];
  if (type !== "" && size > megabytes * MEGABYTE)
    return `${name} is too large (${Math.ceil(size / MEGABYTE)} MB). ${kind} can be up to ${megabytes} MB.`;
  return null;
}

export function filePicker(accept: string, take: (files: FileList) => void): HTMLInputElement {
  const picker = element("input", { type: "file", accept, hidden: true });
  picker.addEventListener("change", () => {
    if (picker.files) take(picker.files);
    picker.value = "";
  });
  return picker;
}

/** Failed uploads that are in the text are sent again when the browser is online again, and before a save. */
export function delaySavingDuringUploads(
  queue: UploadQueue,
  isInText: (upload: Upload) => boolean = () => false,
): void {
  const { form } = queue;
  /** Failed uploads that have already stopped a save. The next save leaves them out. */
  const reported = new Set<Upload>();
  const retryFailed = () => {
    for (const upload of queue.uploads.values())
      if (upload.error && !reported.has(upload) && isInText(upload)) queue.start(upload);
  };
  addEventListener("online", () => {
    reported.clear();
    retryFailed();
  });
  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    const isPreview = submitter instanceof HTMLButtonElement && submitter.formTarget !== "";
    if (isPreview) return;
    retryFailed();
    const sending = queue.unfinished;
    if (sending.length === 0) return;
    event.preventDefault();
    const note = queue.notify("Waiting for uploads. The post will be saved when they finish.");
    queue.whenIdle().then(() => {
      note.remove();
      const failed = sending.filter(({ error }) => error !== "");
      for (const upload of failed) reported.add(upload);
      if (failed.length === 0) form.requestSubmit(submitter);
      else if (failed.every(({ address }) => address))
        queue.notify(
          "Not saved: a picture could not be fetched and was kept as a link. Save again to accept the link.",
        );
      else queue.notify("Not saved: some uploads failed. Try again, or save without them.");
    });
  });
}

/** The browser would open dropped files, so the whole page accepts them. */
export function acceptDroppedFiles(take: (files: FileList) => void): void {
  const filesOf = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.includes("Files") ? dataTransfer.files : null;
  document.addEventListener("dragover", (event) => filesOf(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    const files = filesOf(event);
    if (!files || event.defaultPrevented) return;
    event.preventDefault();
    take(files);
  });
}
