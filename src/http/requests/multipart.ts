import type { BusboyFileStream, BusboyInstance } from "@fastify/busboy";
import { MAX_BYTES, MAX_COUNTS, MAX_LENGTHS } from "../../config/request-limits";
import { MEGABYTE } from "../../config/units";
import { malformed, Refusal, tooLarge } from "../../errors";
import { collectGarbageAfter, freeBuffer } from "../../runtime/garbage-collection";
import { ByteYielder } from "../../runtime/yielding";
import { readHeader } from "./headers";
import { readFromStranger } from "./request-body";

const BUSBOY_LIMITS = {
  parts: MAX_COUNTS.parts,
  fields: MAX_COUNTS.parts,
  files: MAX_COUNTS.files,
  headerPairs: 50,
  headerSize: MAX_BYTES.partHeaders,
  fieldSize: MAX_BYTES.json,
};

/** In the order sent. Names keep their brackets, as in "attachment[file]". */
export interface Multipart<Taken> {
  fields: [name: string, value: string][];
  files: { field: string; value: Taken }[];
}

/** @throws Refusal to reject the form without reading the rest of the body */
type AuthorizeForm = (fields: Multipart<unknown>["fields"]) => void;

type Take<Taken> = (
  field: string,
  filename: string,
  stream: AsyncIterable<Uint8Array>,
  contentType: string,
  fields: Multipart<unknown>["fields"],
) => Promise<Taken>;

/**
 * Streams each file of a multipart form to `take`, and reads the body only as fast as `take`. Skips empty
 * file inputs.
 * @param discard called for every taken file if the form fails later
 * @param authorize needed if the sender may have no key. Called once if the form is longer than
 * MAX_BYTES.beforeKey, with the text fields so far
 * @throws Refusal
 */
export async function readMultipart<Taken>(
  request: Request,
  take: Take<Taken>,
  discard: (taken: Taken) => Promise<void>,
  authorize: AuthorizeForm | null = null,
): Promise<Multipart<Taken>> {
  const form = new MultipartForm(createParser(request), take);
  try {
    // `form.error` contains errors of the parser and of `take`. Other errors, such as a disconnect, are
    // thrown.
    const read = (trust?: () => void) =>
      form.readAll(request.body ?? [], (fields) => {
        authorize?.(fields);
        trust?.();
      });
    await (authorize ? readFromStranger(request, MAX_BYTES.beforeKey, read) : read());
    return { fields: form.fields, files: await Promise.all(form.taking) };
  } catch (error) {
    form.abort();
    for (const taking of await Promise.allSettled(form.taking))
      if (taking.status === "fulfilled") await discard(taking.value.value);
    throw form.error ?? (error instanceof Refusal ? error : damagedBody());
  }
}

function createParser(request: Request): BusboyInstance {
  const contentType = readHeader(request, "content-type") ?? "";
  const [, boundary] = /;\s*boundary=("[^"]+"|[^\s";]+)/i.exec(contentType) ?? [];
  if (!/^multipart\/form-data\s*;/i.test(contentType) || boundary === undefined)
    throw malformed("The body must be multipart/form-data, with the boundary in Content-Type.");
  if (boundary.replaceAll('"', "").length > MAX_LENGTHS.boundary)
    throw malformed(`The boundary in Content-Type must be at most ${MAX_LENGTHS.boundary} characters.`);
  const isPartAFile = (_field: unknown, type = "", filename?: string) =>
    filename !== undefined || /^(image|video)\/|^application\/octet-stream$/.test(type);
  const { Busboy } = require("@fastify/busboy") as typeof import("@fastify/busboy");
  return new Busboy({ headers: { "content-type": contentType }, limits: BUSBOY_LIMITS, isPartAFile });
}

/** busboy's internal parser, which also reports parts that busboy skips silently. */
interface PartParser {
  _finished: boolean;
  _oninfo(...found: unknown[]): void;
  on(event: "part", listener: (part: BusboyFileStream) => void): void;
}

/** The parser fails on boundaries after the closing one if they arrive in the same chunk. */
function ignoreEpilogue(parser: PartParser): void {
  const read = parser._oninfo;
  parser._oninfo = (...found) => {
    if (!parser._finished) read.apply(parser, found);
  };
}

const damagedBody = () => malformed("The multipart body is damaged or incomplete.");

class MultipartForm<Taken> {
  readonly fields: Multipart<Taken>["fields"] = [];
  readonly taking: Promise<{ field: string; value: Taken }>[] = [];
  error: unknown;
  readonly #partParser: PartParser;
  readonly #streams: BusboyFileStream[] = [];
  #textLength = 0;
  #openParts = 0;
  #openFiles = 0;
  #rejectStep: (error: unknown) => void = () => {};

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
    parser.on("error", () => this.#fail(damagedBody()));
    this.#partParser = (parser as unknown as { _parser: { parser: PartParser } })._parser.parser;
    ignoreEpilogue(this.#partParser);
    this.#partParser.on("part", (part) => {
      this.#openParts++;
      part.once("header", (headers: Record<string, string[]>) => {
        this.#openParts--;
        // RFC 7578 4.2 requires form-data. busboy skips other parts, and stops reading after a long one.
        if (!/^form-data\b/i.test(headers["content-disposition"]?.[0] ?? "")) this.#fail(damagedBody());
      });
    });
    for (const limit of ["partsLimit", "fieldsLimit", "filesLimit"] as const)
      parser.on(limit, () => this.#fail(malformed("The form has too many parts.")));
  }

  async readAll(body: AsyncIterable<Uint8Array> | never[], authorize: AuthorizeForm): Promise<void> {
    let unread: number = MAX_BYTES.beforeKey;
    const pace = new ByteYielder();
    for await (const arrived of body) {
      // Copied, because the garbage collector knows the size of a copy but not of the original.
      const chunk = Buffer.from(arrived);
      freeBuffer(arrived);
      await pace.after(chunk.length);
      await this.#write(chunk.subarray(0, unread));
      if (chunk.length > unread) {
        authorize(this.fields);
        await this.#write(chunk.subarray(unread));
        unread = Number.POSITIVE_INFINITY;
      }
      unread -= chunk.length;
      if (this.#openFiles === 0) collectGarbageAfter(chunk.length);
    }
    await this.#step((done) => void this.parser.once("finish", done).end());
    if (this.#openParts > 0) throw damagedBody();
  }

  async #write(chunk: Buffer): Promise<void> {
    await this.#step((done) => this.parser.write(chunk, () => done()));
    // Rejects the form at once, because the rest of the body may never arrive.
    if (this.#partParser._finished && this.#openParts > 0) throw damagedBody();
  }

  /** Makes every running `take` fail, so that it deletes its file. */
  abort(): void {
    for (const stream of this.#streams) stream.destroy(damagedBody());
  }

  /** A paused parser never calls back, so an error must also end the step. */
  #step(work: (done: () => void) => void): Promise<void> {
    return new Promise((done, reject) => {
      this.#rejectStep = reject;
      if (this.error) reject(this.error);
      else work(done);
    });
  }

  #fail(error: unknown): void {
    this.error ??= error;
    this.#rejectStep(this.error);
  }

  #addField(name: string | undefined, value: string, isTruncated: boolean): void {
    this.#textLength += value.length;
    if (isTruncated || this.#textLength > MAX_BYTES.json)
      this.#fail(tooLarge(`The form's text must be at most ${MAX_BYTES.json / MEGABYTE} MB.`));
    else if (name !== undefined && this.#checkName(name)) this.fields.push([name, value]);
  }

  #checkName(name: string): boolean {
    if (name.length <= MAX_LENGTHS.fieldName) return true;
    const rule = `is longer than ${MAX_LENGTHS.fieldName} characters.`;
    this.#fail(malformed(`The name ${name.slice(0, 50)}… ${rule}`));
    return false;
  }

  #addFile(field: string | undefined, stream: BusboyFileStream, filename: string | undefined, type: string) {
    // Registered before `take` listens, so that an error of `take` does not hide this error.
    stream.on("error", () => this.#fail(damagedBody()));
    this.#openFiles++;
    stream.once("end", () => this.#openFiles--);
    if (field === undefined || filename === "" || !this.#checkName(field)) return stream.resume();
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
    taking.catch((error) => this.#fail(error));
    this.taking.push(taking);
  }
}
