import type { StoredFile } from "./file-details";

const MAX_PARALLEL_UPLOADS = 3;

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
  #waiting: Upload[] = [];
  #running = new Map<Upload, Promise<void>>();

  constructor(
    readonly address: string,
    readonly token: string,
    readonly onChange: (upload: Upload) => void,
  ) {}

  add(file: File): Upload {
    const preview = URL.createObjectURL(file);
    const upload = this.#make({ file, preview });
    this.#enqueue(upload);
    return upload;
  }

  /** Call `start` to begin. */
  addRemote(address: string): Upload {
    const name = new URL(address).pathname.split("/").at(-1) || "picture";
    return this.#make({ file: new File([], name), address });
  }

  start(upload: Upload): void {
    this.#enqueue(upload);
    this.onChange(upload);
  }

  #make(fields: Pick<Upload, "file"> & Partial<Upload>): Upload {
    const id = crypto.randomUUID();
    const upload = { id, address: "", preview: "", progress: 0, error: "", stored: null, ...fields };
    this.uploads.set(id, upload);
    return upload;
  }

  retry(id: string): void {
    const upload = this.uploads.get(id);
    if (!upload?.error) return;
    upload.error = "";
    this.onChange(upload);
    this.#enqueue(upload);
  }

  get unfinished(): Upload[] {
    return [...this.#running.keys(), ...this.#waiting];
  }

  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.race(this.#running.values());
  }

  #enqueue(upload: Upload): void {
    this.#waiting.push(upload);
    this.#next();
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
    request.open("POST", this.address);
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
    const form = new FormData();
    form.append("token", this.token);
    if (upload.address) form.append("address", upload.address);
    else form.append("file", upload.file, upload.file.name);
    request.send(form);
    return promise;
  }
}
