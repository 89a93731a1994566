import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { type Entry, open, type ZipFile } from "yauzl";
import { MEGABYTE } from "../../../config/units";
import { MOST_FILES, type Source, SourceFault } from "./source";

/** So many times as large as the archive all files together may be, and so many bytes more: pictures hardly shrink. */
const MOST_GROWTH = { times: 200, plus: 256 * MEGABYTE };

/** The files of a ZIP archive, each unpacked when it is read and nowhere else. @throws SourceFault */
export async function zipSource(file: string): Promise<Source> {
  const zip = await opened(file);
  const entries = await entriesOf(zip, file);
  const top = commonTop([...entries.keys()]);
  const entryAt = (path: string) => entries.get((top + path).normalize("NFC"));
  const paths = [...entries.keys()].map((path) => path.slice(top.length)).sort();
  return {
    name: basename(file),
    paths,
    has: (path) => entryAt(path) !== undefined,
    size: (path) => entryAt(path)?.uncompressedSize ?? 0,
    async *bytes(path) {
      const entry = entryAt(path);
      if (!entry) throw new SourceFault(`There is no ${path} in ${basename(file)}.`);
      yield* unpacked(zip, entry);
    },
    close: () => zip.close(),
  };
}

function opened(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(file, { lazyEntries: true, autoClose: false }, (fault, zip) => {
      if (fault) reject(unreadable(file, fault));
      else resolve(zip);
    });
  });
}

async function entriesOf(zip: ZipFile, file: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  let packed = 0;
  let whole = 0;
  await new Promise<void>((resolve, reject) => {
    zip.on("error", (fault) => reject(unreadable(file, fault)));
    zip.on("end", resolve);
    zip.on("entry", (entry: Entry) => {
      packed += entry.compressedSize;
      whole += entry.uncompressedSize;
      if (!isPassedOver(entry.fileName)) entries.set(entry.fileName.normalize("NFC"), entry);
      if (entries.size > MOST_FILES)
        return reject(new SourceFault(`${basename(file)} holds more than ${MOST_FILES} files.`));
      if (whole > MOST_GROWTH.times * Math.min(packed, zip.fileSize) + MOST_GROWTH.plus)
        return reject(
          new SourceFault(`${basename(file)} says that it would grow beyond all measure: it is left alone.`),
        );
      zip.readEntry();
    });
    zip.readEntry();
  }).catch((fault) => {
    zip.close();
    throw fault;
  });
  return entries;
}

/** Folders, hidden things, and what macOS adds. */
function isPassedOver(path: string): boolean {
  return path.endsWith("/") || path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX");
}

/** Many archives hold one folder with everything in it: "site/" then, else "". */
function commonTop(paths: string[]): string {
  const top = paths[0]?.split("/")[0];
  return top !== undefined && paths.every((path) => path.startsWith(`${top}/`)) ? `${top}/` : "";
}

/** Its length is held by yauzl to what is declared; that it is what was packed, here. */
async function* unpacked(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw new SourceFault(`${entry.fileName} is encrypted.`);
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (fault, readable) =>
      fault ? reject(broken(entry, fault)) : resolve(readable),
    );
  });
  let sum = 0;
  try {
    for await (const piece of stream) {
      sum = crc32(piece as Buffer, sum);
      yield piece as Buffer;
    }
  } catch (fault) {
    throw fault instanceof SourceFault ? fault : broken(entry, fault);
  }
  if (sum !== entry.crc32) throw broken(entry, "its checksum is wrong");
}

function broken({ fileName }: Entry, fault: unknown): SourceFault {
  return new SourceFault(`${fileName} is damaged: ${fault instanceof Error ? fault.message : fault}.`);
}

function unreadable(file: string, { message }: Error): SourceFault {
  const isCut = message.startsWith("End of central directory record signature not found");
  const why = isCut ? "its end is missing. Export or copy it once more" : message.replace(/\.$/, "");
  return new SourceFault(`${basename(file)} cannot be read as a ZIP archive: ${why}.`);
}
