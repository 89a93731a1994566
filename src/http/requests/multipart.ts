import type { BusboyFileStream, BusboyInstance } from "@fastify/busboy";
import { MAX_BYTES, MAX_COUNTS, MAX_LENGTHS } from "../../config/request-limits";
import { MEGABYTE } from "../../config/units";
import { malformed, Refusal, tooLarge } from "../../errors";
import { collectGarbageAfter, freeBuffer } from "../../runtime/garbage-collection";
import { ByteYielder, yieldToEventLoop } from "../../runtime/yielding";
import { readHeader } from "./headers";
import type { BodyMemory } from "./request-body";

/** So many parts are read in one turn: a thousand take a hundredth of a second. */
const PARTS_AT_ONCE = 100;

const LIMITS = {
  parts: MAX_COUNTS.parts,
  fields: MAX_COUNTS.parts,
  files: MAX_COUNTS.files,
  headerPairs: 50,
  headerSize: MAX_BYTES.partHeaders,
  fieldSize: MAX_BYTES.json,
};

/** The parts in the order they were sent; names have their brackets. */
export interface Multipart<Taken> {
  fields: [name: string, value: string][];
  files: { field: string; value: Taken }[];
}

/** @throws Refusal: no more of the body is read */
type Admit = (fields: Multipart<unknown>["fields"]) => BodyMemory;

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
 * @param admit is asked, once, before more than MAX_BYTES.beforeKey are read, with the text fields so far: throws where
 *   no key is known, and tells in whose memory the text is held
 * @throws Refusal (malformed) for another content type, a body that is damaged or breaks off, too many parts, too long
 *   a name; (too large) for more text than MAX_BYTES.json; and whatever `take` and `admit` throw
 */
export async function readMultipart<Taken>(
  request: Request,
  take: Take<Taken>,
  discard: (taken: Taken) => Promise<void>,
  admit: Admit | null = null,
): Promise<Multipart<Taken>> {
  const boundary = boundaryOf(request);
  const form = new Form(parserFor(request), boundary, take);
  try {
    // A client that goes away makes the body throw; whatever else goes wrong is in `form.fault`.
    await form.readAll(request.body ?? [], admit);
    return { fields: form.fields, files: await Promise.all(form.taking) };
  } catch (fault) {
    form.breakOff();
    for (const taking of await Promise.allSettled(form.taking))
      if (taking.status === "fulfilled") await discard(taking.value.value);
    throw form.fault ?? (fault instanceof Refusal ? fault : brokenOff());
  }
}

/** @throws Refusal (malformed) */
function boundaryOf(request: Request): string {
  const contentType = readHeader(request, "content-type") ?? "";
  const [, boundary] = /;\s*boundary=("[^"]+"|[^\s";]+)/i.exec(contentType) ?? [];
  if (!/^multipart\/form-data\s*;/i.test(contentType) || boundary === undefined)
    throw malformed("The body must be multipart/form-data, with the boundary named in Content-Type.");
  const bare = boundary.replaceAll('"', "");
  if (bare.length > MAX_LENGTHS.boundary)
    throw malformed(`The boundary in Content-Type must be at most ${MAX_LENGTHS.boundary} characters long.`);
  return bare;
}

function parserFor(request: Request): BusboyInstance {
  const contentType = readHeader(request, "content-type") ?? "";
  const isPartAFile = (_field: unknown, type = "", filename?: string) =>
    filename !== undefined || /^(image|video)\/|^application\/octet-stream$/.test(type);
  // Loaded when it is needed: the server starts without it.
  const { Busboy } = require("@fastify/busboy") as typeof import("@fastify/busboy");
  return new Busboy({ headers: { "content-type": contentType }, limits: LIMITS, isPartAFile });
}

/** busboy's own parser, which reports the parts that busboy leaves out in silence. */
interface PartParser {
  /** The closing boundary was read. */
  _finished: boolean;
  _oninfo(...found: unknown[]): void;
  on(event: "part", listener: (part: BusboyFileStream) => void): void;
}

/** It fails, without a word, over boundaries behind the closing one that arrive with it. */
function ignoreEpilogue(parser: PartParser): void {
  const read = parser._oninfo;
  parser._oninfo = (...found) => {
    if (!parser._finished) read.apply(parser, found);
  };
}

const tooManyParts = () => malformed("The form has too many parts.");
const brokenOff = () => malformed("The multipart body is damaged or breaks off before its end.");

class Form<Taken> {
  readonly fields: Multipart<Taken>["fields"] = [];
  readonly taking: Promise<{ field: string; value: Taken }>[] = [];
  /** The first thing that went wrong. */
  fault: unknown;
  readonly #partParser: PartParser;
  readonly #streams: BusboyFileStream[] = [];
  #textLength = 0;
  /** Parts whose headers have not ended. */
  #openParts = 0;
  #boundaries = 0;
  /** Files on their way to the disk; what is none is held. */
  #openFiles = 0;
  #stop: (fault: unknown) => void = () => {};

  constructor(
    readonly parser: BusboyInstance,
    readonly boundary: string,
    readonly take: Take<Taken>,
  ) {
    parser.on("field", (name, value, _nameTruncated, isTruncated) =>
      this.#addField(name, value, isTruncated),
    );
    parser.on("file", (field, stream, filename, _encoding, type) =>
      this.#addFile(field, stream, filename, type),
    );
    parser.on("error", () => this.#fail(brokenOff()));
    this.#partParser = (parser as unknown as { _parser: { parser: PartParser } })._parser.parser;
    ignoreEpilogue(this.#partParser);
    this.#partParser.on("part", (part) => {
      this.#openParts++;
      part.once("header", (readHeader: Record<string, string[]>) => {
        this.#openParts--;
        // RFC 7578 section 4.2. busboy skips others, and never reads on behind a long one.
        if (!/^form-data\b/i.test(readHeader["content-disposition"]?.[0] ?? "")) this.#fail(brokenOff());
      });
    });
    for (const limit of ["partsLimit", "fieldsLimit", "filesLimit"] as const)
      parser.on(limit, () => this.#fail(tooManyParts()));
  }

  /** @throws whatever went wrong; `fault` says why where it is the form's doing */
  async readAll(body: AsyncIterable<Uint8Array> | never[], admit: Admit | null): Promise<void> {
    let unread = admit ? MAX_BYTES.beforeKey : Number.POSITIVE_INFINITY;
    let held: BodyMemory | undefined;
    const pace = new ByteYielder();
    try {
      for await (const arrived of body) {
        // The collector sees what a copy weighs, and hardly what has come.
        const chunk = Buffer.from(arrived);
        freeBuffer(arrived);
        await pace.after(chunk.length);
        await this.#write(chunk.subarray(0, unread));
        if (chunk.length > unread) {
          held = admit?.(this.fields);
          await this.#write(chunk.subarray(unread));
          unread = Number.POSITIVE_INFINITY;
        }
        unread -= chunk.length;
        if (this.#openFiles === 0) {
          held?.grow(chunk.length);
          collectGarbageAfter(chunk.length);
        }
      }
      await this.#end();
    } finally {
      held?.release();
    }
  }

  /** Resolves when there is room for more: not before the open file's `take` has caught up. */
  async #write(chunk: Buffer): Promise<void> {
    let from = 0;
    for (const to of this.#cutsIn(chunk)) {
      await this.#step((done) => this.parser.write(chunk.subarray(from, to), () => done()));
      await yieldToEventLoop();
      from = to;
    }
    await this.#step((done) => this.parser.write(chunk.subarray(from), () => done()));
    // Answered at once: the rest of the body may never come.
    if (this.#partParser._finished && this.#openParts > 0) throw brokenOff();
  }

  /** Before the first of every hundred parts. They are counted here too: busboy goes through all that it is given. */
  *#cutsIn(chunk: Buffer): Generator<number> {
    const boundary = `\r\n--${this.boundary}`;
    for (let at = chunk.indexOf(boundary); at >= 0; at = chunk.indexOf(boundary, at + boundary.length)) {
      if (++this.#boundaries > MAX_COUNTS.parts + 1) throw tooManyParts();
      if (this.#boundaries % PARTS_AT_ONCE === 0) yield at;
    }
  }

  async #end(): Promise<void> {
    await this.#step((done) => void this.parser.once("finish", done).end());
    // A part's headers did not end.
    if (this.#openParts > 0) throw brokenOff();
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
    if (isTruncated || this.#textLength > MAX_BYTES.json)
      this.#fail(
        tooLarge(`The form's text is too large: at most ${MAX_BYTES.json / MEGABYTE} MB are accepted.`),
      );
    else if (name !== undefined && this.#isShort(name)) this.fields.push([name, value]);
  }

  #isShort(name: string): boolean {
    const isShort = name.length <= MAX_LENGTHS.fieldName;
    if (!isShort)
      this.#fail(
        malformed(`The name ${name.slice(0, 50)}… is longer than ${MAX_LENGTHS.fieldName} characters.`),
      );
    return isShort;
  }

  #addFile(field: string | undefined, stream: BusboyFileStream, filename: string | undefined, type: string) {
    // Before `take` listens: its own error would hide that the body is broken.
    stream.on("error", () => this.#fail(brokenOff()));
    this.#openFiles++;
    stream.once("end", () => this.#openFiles--);
    if (field === undefined || filename === "" || !this.#isShort(field)) return stream.resume();
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
