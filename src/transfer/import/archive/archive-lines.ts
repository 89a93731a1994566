import { MEGABYTE } from "../../../config/units";
import { ARCHIVE_FILE } from "../formats/formats";
import { type Source, SourceFault, textIn } from "../sources/source";

/** What this program can read. */
const VERSION = 1;
/** In bytes: a post of 5 MB, with whatever JSON makes of it. A longer one is passed over. */
const LONGEST_LINE = 64 * MEGABYTE;

/** What the archive says of itself. */
export interface AboutArchive {
  /** Of the blog: the same however often it is exported. */
  id: string;
  /** The base address that its texts name files by. */
  url: string;
}

type Fields = Record<string, unknown>;

/** @throws SourceFault */
export async function aboutArchive(source: Source): Promise<AboutArchive> {
  const { format, version, id, url } = await objectIn(source, ARCHIVE_FILE);
  if (format !== "platen" || typeof version !== "number" || typeof id !== "string" || typeof url !== "string")
    throw new SourceFault(`${source.name} is no archive of Platen's.`);
  if (version > VERSION)
    throw new SourceFault(
      `${source.name} was made by a newer Platen: bring it in with that one, or a newer.`,
    );
  return { id, url };
}

/** @throws SourceFault */
export async function objectIn(source: Source, path: string): Promise<Fields> {
  const read = fieldsIn(await textIn(source, path, LONGEST_LINE));
  if (!read) throw new SourceFault(`${path} of ${source.name} cannot be read.`);
  return read;
}

/** One object after the other; null for a line that is none, or is longer than any can be. Nothing where there is no such file. @throws SourceFault */
export async function* linesIn(source: Source, path: string): AsyncGenerator<Fields | null> {
  if (!source.has(path)) return;
  let begun: Buffer[] = [];
  let length = 0;
  const taken = (end: Buffer) => {
    const line = length > LONGEST_LINE ? null : fieldsIn(Buffer.concat([...begun, end]).toString("utf8"));
    [begun, length] = [[], 0];
    return line;
  };
  for await (const piece of source.bytes(path)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      yield taken(bytes.subarray(from, end));
      from = end + 1;
    }
    length += bytes.length - from;
    if (length > LONGEST_LINE) begun = [];
    else begun.push(Buffer.from(bytes.subarray(from)));
  }
  if (length > 0) yield taken(Buffer.alloc(0));
}

function fieldsIn(text: string): Fields | null {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Fields) : null;
  } catch {
    return null;
  }
}
