import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { malformed, tooLarge } from "../../errors";

const MEGABYTE = 1_048_576;

const LIMITS = { parts: 200, fields: 200, files: 20, headerPairs: 50, headerSize: 16_384 };
/** All text fields together, in bytes: what a JSON body may have (contract.md 4). */
const TEXT_LIMIT = 10 * MEGABYTE;

/** The parts in the order they were sent; names have their brackets. */
export interface Multipart<Taken> {
  fields: [name: string, value: string][];
  files: { field: string; value: Taken }[];
}

type Take<Taken> = (
  field: string,
  filename: string,
  stream: AsyncIterable<Uint8Array>,
  contentType: string,
  /** The text fields that came before the file. */
  fields: Multipart<unknown>["fields"],
) => Promise<Taken>;

/**
 * Reads a multipart form as it arrives. Each file is handed to `take` as a stream, and no more of the body is read
 * than `take` consumes. A file input left empty by a browser is no file.
 * @param discard is called for every file taken before the form turned out to be unusable
 * @throws Refusal (malformed) for another content type, a body that breaks off or too many parts; (too large) for
 *   more text than TEXT_LIMIT; and whatever `take` throws
 */
export async function readMultipart<Taken>(
  request: Request,
  take: Take<Taken>,
  discard: (taken: Taken) => Promise<void>,
): Promise<Multipart<Taken>> {
  const form = new Form(parserFor(request), take);
  try {
    // A client that goes away makes the body throw; whatever else goes wrong is in `form.fault`.
    for await (const chunk of request.body ?? []) await form.write(chunk);
    await form.end();
    return { fields: form.fields, files: await Promise.all(form.taking) };
  } catch {
    form.breakOff();
    for (const taking of await Promise.allSettled(form.taking))
      if (taking.status === "fulfilled") await discard(taking.value.value);
    throw form.fault ?? brokenOff();
  }
}

function parserFor(request: Request): BusboyInstance {
  const contentType = request.headers.get("content-type") ?? "";
  if (
    !/^multipart\/form-data\s*;/i.test(contentType) ||
    !/;\s*boundary=("[^"]+"|[^\s";]+)/i.test(contentType)
  )
    throw malformed("The body must be multipart/form-data, with the boundary named in Content-Type.");
  const isPartAFile = (_field: unknown, type = "", filename?: string) =>
    filename !== undefined || /^(image|video)\/|^application\/octet-stream$/.test(type);
  const limits = { ...LIMITS, fieldSize: TEXT_LIMIT };
  return new Busboy({ headers: { "content-type": contentType }, limits, isPartAFile });
}

const brokenOff = () => malformed("The multipart body is damaged or breaks off before its end.");

class Form<Taken> {
  readonly fields: Multipart<Taken>["fields"] = [];
  readonly taking: Promise<{ field: string; value: Taken }>[] = [];
  /** The first thing that went wrong. */
  fault: unknown;
  readonly #streams: BusboyFileStream[] = [];
  #textLength = 0;
  #stop: (fault: unknown) => void = () => {};

  constructor(
    readonly parser: BusboyInstance,
    readonly take: Take<Taken>,
  ) {
    parser.on("field", (name, value, _nameTruncated, isTruncated) =>
      this.#addField(name, value, isTruncated),
    );
    parser.on("file", (field, stream, filename, _encoding, type) =>
      this.#addFile(field, stream, filename, type),
    );
    parser.on("error", () => this.#fail(brokenOff()));
    for (const limit of ["partsLimit", "fieldsLimit", "filesLimit"] as const)
      parser.on(limit, () => this.#fail(malformed("The form has too many parts.")));
  }

  /** Resolves when there is room for more: not before the open file's `take` has caught up. */
  write(chunk: Uint8Array): Promise<void> {
    return this.#step((done) => this.parser.write(chunk, () => done()));
  }

  end(): Promise<void> {
    return this.#step((done) => void this.parser.once("finish", done).end());
  }

  /** Lets every `take` that is still reading fail, so that it cleans up. */
  breakOff(): void {
    for (const stream of this.#streams) stream.destroy(brokenOff());
  }

  /** A paused parser never calls back, so a failure has to end the step too. */
  #step(work: (done: () => void) => void): Promise<void> {
    return new Promise((done, stop) => {
      this.#stop = stop;
      if (this.fault) stop(this.fault);
      else work(done);
    });
  }

  #fail(fault: unknown): void {
    this.fault ??= fault;
    this.#stop(this.fault);
  }

  #addField(name: string | undefined, value: string, isTruncated: boolean): void {
    this.#textLength += value.length;
    if (isTruncated || this.#textLength > TEXT_LIMIT)
      this.#fail(tooLarge(`The form's text is too large: at most ${TEXT_LIMIT / MEGABYTE} MB are accepted.`));
    else if (name !== undefined) this.fields.push([name, value]);
  }

  #addFile(field: string | undefined, stream: BusboyFileStream, filename: string | undefined, type: string) {
    // Before `take` listens: its own error would hide that the body is broken.
    stream.on("error", () => this.#fail(brokenOff()));
    if (field === undefined || filename === "") return stream.resume();
    this.#streams.push(stream);
    const taking = this.take(
      field,
      filename ?? "",
      stream.iterator({ destroyOnReturn: false }),
      type,
      this.fields,
    )
      .then((value) => ({ field, value }))
      .finally(() => stream.resume());
    taking.catch((fault) => this.#fail(fault));
    this.taking.push(taking);
  }
}
