/** Loads the module on first use, so that the program starts fast. */
const zlib = () => require("node:zlib") as typeof import("node:zlib");
const streams = () => require("node:stream") as typeof import("node:stream");

/** Larger sizes and counts require ZIP64 fields. */
const [MAX_UINT32, MAX_UINT16] = [0xffffffff, 0xffff];
/** Version needed to extract (4.5, for ZIP64), and version made by (Unix). */
const [NEEDED, MADE_BY] = [45, 0x031e];
/** Flags: sizes and checksum follow the data; names are UTF-8. */
const FLAGS = 0x0808;
const REGULAR_FILE = 0o100644 * 0x10000;

/** Level 3 is much faster than the default level 6 and compresses slightly less. */
const LEVEL = 3;
/** Size in bytes of the blocks for the compression thread. Smaller blocks cause too much overhead. */
const BLOCK_BYTES = 256 * 1024;

type Write = (bytes: Uint8Array) => Promise<void>;

interface Entry {
  name: Buffer;
  method: number;
  time: number;
  start: number;
  crc: number;
  packed: number;
  size: number;
}

/** Streams a ZIP archive of any size. Only the central directory stays in memory. */
export class ZipWriter {
  private readonly directory: Buffer[] = [];
  private offset = 0;

  constructor(private readonly write: Write) {}

  async addText(path: string, at: Date, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const packed = zlib().deflateRawSync(bytes);
    const entry = await this.begin(path, at, 8);
    await this.put(packed);
    await this.end({ ...entry, crc: zlib().crc32(bytes), packed: packed.length, size: bytes.length });
  }

  /** Compresses a text of any length in a worker thread. */
  async addTextOf(path: string, at: Date, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const entry = await this.begin(path, at, 8);
    let [crc, packed, size] = [0, 0, 0];
    const counted = async function* () {
      for await (const piece of together(pieces)) {
        crc = zlib().crc32(piece, crc);
        size += piece.length;
        yield piece;
      }
    };
    const { pipeline, Readable } = streams();
    const packing = pipeline(Readable.from(counted()), zlib().createDeflateRaw({ level: LEVEL }), () => {});
    for await (const piece of packing) {
      packed += piece.length;
      await this.put(piece);
    }
    await this.end({ ...entry, crc, packed, size });
  }

  /** Stores data without compression. */
  async addBytes(path: string, at: Date, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const entry = await this.begin(path, at, 0);
    let [crc, size] = [0, 0];
    for await (const piece of bytes) {
      crc = zlib().crc32(piece, crc);
      size += piece.length;
      await this.put(piece);
    }
    await this.end({ ...entry, crc, packed: size, size });
  }

  async finish(): Promise<void> {
    const start = this.offset;
    for (const line of this.directory) await this.put(line);
    const length = this.offset - start;
    const count = this.directory.length;
    if (count >= MAX_UINT16 || start >= MAX_UINT32 || length >= MAX_UINT32)
      await this.put(wideEnd(count, length, start));
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06", "latin1");
    end.writeUInt16LE(Math.min(count, MAX_UINT16), 8);
    end.writeUInt16LE(Math.min(count, MAX_UINT16), 10);
    end.writeUInt32LE(Math.min(length, MAX_UINT32), 12);
    end.writeUInt32LE(Math.min(start, MAX_UINT32), 16);
    await this.put(end);
  }

  private async begin(path: string, at: Date, method: number) {
    const begun = { name: Buffer.from(path), method, time: timeOf(at), start: this.offset };
    const head = Buffer.alloc(30);
    head.write("PK\x03\x04", "latin1");
    head.writeUInt16LE(NEEDED, 4);
    head.writeUInt16LE(FLAGS, 6);
    head.writeUInt16LE(method, 8);
    head.writeUInt32LE(begun.time, 10);
    head.writeUInt16LE(begun.name.length, 26);
    await this.put(Buffer.concat([head, begun.name]));
    return begun;
  }

  private async end(entry: Entry): Promise<void> {
    const isWide = entry.size >= MAX_UINT32 || entry.packed >= MAX_UINT32;
    const behind = Buffer.alloc(isWide ? 24 : 16);
    behind.write("PK\x07\x08", "latin1");
    behind.writeUInt32LE(entry.crc, 4);
    if (isWide) {
      behind.writeBigUInt64LE(BigInt(entry.packed), 8);
      behind.writeBigUInt64LE(BigInt(entry.size), 16);
    } else {
      behind.writeUInt32LE(entry.packed, 8);
      behind.writeUInt32LE(entry.size, 12);
    }
    await this.put(behind);
    this.directory.push(directoryLine(entry, isWide));
  }

  private async put(bytes: Uint8Array): Promise<void> {
    await this.write(bytes);
    this.offset += bytes.length;
  }
}

async function* together(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < BLOCK_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, length] = [[], 0];
  }
  yield Buffer.concat(waiting);
}

function directoryLine({ name, method, time, start, crc, packed, size }: Entry, isWide: boolean): Buffer {
  const wide = [...(isWide ? [size, packed] : []), ...(start >= MAX_UINT32 ? [start] : [])];
  const extra = Buffer.alloc(wide.length === 0 ? 0 : 4 + 8 * wide.length);
  if (wide.length > 0) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8 * wide.length, 2);
    for (const [index, number] of wide.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * index);
  }
  const line = Buffer.alloc(46);
  line.write("PK\x01\x02", "latin1");
  line.writeUInt16LE(MADE_BY, 4);
  line.writeUInt16LE(NEEDED, 6);
  line.writeUInt16LE(FLAGS, 8);
  line.writeUInt16LE(method, 10);
  line.writeUInt32LE(time, 12);
  line.writeUInt32LE(crc, 16);
  line.writeUInt32LE(isWide ? MAX_UINT32 : packed, 20);
  line.writeUInt32LE(isWide ? MAX_UINT32 : size, 24);
  line.writeUInt16LE(name.length, 28);
  line.writeUInt16LE(extra.length, 30);
  line.writeUInt32LE(REGULAR_FILE, 38);
  line.writeUInt32LE(Math.min(start, MAX_UINT32), 42);
  return Buffer.concat([line, name, extra]);
}

/** ZIP64 end of central directory record and locator. */
function wideEnd(count: number, length: number, start: number): Buffer {
  const end = Buffer.alloc(76);
  end.write("PK\x06\x06", "latin1");
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(MADE_BY, 12);
  end.writeUInt16LE(NEEDED, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(length), 40);
  end.writeBigUInt64LE(BigInt(start), 48);
  end.write("PK\x06\x07", 56, "latin1");
  end.writeBigUInt64LE(BigInt(start + length), 64);
  end.writeUInt32LE(1, 72);
  return end;
}

/** MS-DOS time in UTC. The earliest year is 1980. */
function timeOf(at: Date): number {
  const time = (at.getUTCSeconds() >> 1) | (at.getUTCMinutes() << 5) | (at.getUTCHours() << 11);
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107) - 1980;
  const day = at.getUTCDate() | ((at.getUTCMonth() + 1) << 5) | (year << 9);
  return day * 0x10000 + time;
}
