import { button, element } from "../html/elements";
import { uploadError } from "./upload-limits";

const MAX_PARALLEL_UPLOADS = 3;

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
  /** Messages to the user. Put this element into the page. */
  readonly notes = element("div", { className: "upload-messages", role: "status" });
  readonly token: string;
  #waiting: Upload[] = [];
  #running = new Map<Upload, Promise<void>>();

  constructor(
    readonly form: HTMLFormElement,
    readonly onChange: (upload: Upload) => void,
  ) {
    this.token = form.querySelector<HTMLInputElement>('input[name="token"]')?.value ?? "";
  }

  notify(sentence: string): HTMLElement {
    const close = button("Close", () => note.remove());
    const note = element("p", {}, sentence, close);
    this.notes.append(note);
    return note;
  }

  /** @returns null if the file cannot be used; the user is then notified */
  add(file: File): Upload | null {
    const error = uploadError(file);
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
    this.onChange(upload);
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
        this.onChange(upload);
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
      this.onChange(upload);
    };
    request.onload = () => {
      if (request.status === 201) upload.stored = request.response.file as StoredFile;
      else upload.error = request.response?.message ?? "The server rejected the file.";
      resolve();
    };
    request.onerror = () => {
      upload.error = "The server can't be reached.";
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
