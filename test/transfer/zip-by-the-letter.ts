import { expect } from "bun:test";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32, inflateRawSync } from "node:zlib";

const [MAX_UINT32, MAX_UINT16] = [0xffffffff, 0xffff];
/** Files longer than this are not unpacked. */
const MAX_LENGTH = 10_000_000;

/**
 * What an archive says of its files, of which every field is held to APPNOTE.TXT: heads against the directory, what stands
 * behind the bytes, where one begins after the other, the ends. Readers differ in what they look at.
 */
export function filesByTheLetter(place: string) {
  const file = openSync(place, "r");
  const read = (from: number, length: number) => {
    const bytes = Buffer.alloc(length);
    expect(readSync(file, bytes, 0, length, from)).toBe(length);
    return bytes;
  };
  const wide = (bytes: Buffer, at: number) => Number(bytes.readBigUInt64LE(at));
  const { size: all } = fstatSync(file);
  const end = read(all - 22, 22);
  const said = { count: end.readUInt16LE(10), length: end.readUInt32LE(12), start: end.readUInt32LE(16) };
  expect([
    end.toString("latin1", 0, 4),
    end.readUInt32LE(4),
    end.readUInt16LE(8),
    end.readUInt16LE(20),
  ]).toEqual(["PK\x05\x06", 0, said.count, 0]);
  const isWide = said.count === MAX_UINT16 || said.length === MAX_UINT32 || said.start === MAX_UINT32;
  const ends = isWide ? wideEnds(read(all - 98, 76), all - 98) : said;
  if (said.count !== MAX_UINT16) expect(said.count).toBe(ends.count);
  if (said.length !== MAX_UINT32) expect(said.length).toBe(ends.length);
  if (said.start !== MAX_UINT32) expect(said.start).toBe(ends.start);
  expect(ends.start + ends.length).toBe(all - (isWide ? 98 : 22));

  const directory = read(ends.start, ends.length);
  const files = [];
  let [at, next] = [0, 0];
  for (let number = 0; number < ends.count; number++) {
    const line = directory.subarray(at);
    const name = line.subarray(46, 46 + line.readUInt16LE(28));
    const extra = line.subarray(46 + name.length, 46 + name.length + line.readUInt16LE(30));
    expect([line.toString("latin1", 0, 4), line.readUInt16LE(32), line.readUInt16LE(34)]).toEqual([
      "PK\x01\x02",
      0,
      0,
    ]);
    at += 46 + name.length + extra.length;
    const numbers = [line.readUInt32LE(24), line.readUInt32LE(20), line.readUInt32LE(42)];
    const isLarge = numbers[0] === MAX_UINT32;
    const widened = numbers.filter((one) => one === MAX_UINT32).length;
    expect(extra.length).toBe(widened === 0 ? 0 : 4 + 8 * widened);
    if (widened > 0) expect([extra.readUInt16LE(0), extra.readUInt16LE(2)]).toEqual([1, 8 * widened]);
    let taken = 4;
    const [size = 0, packed = 0, start = 0] = numbers.map((one) => {
      if (one !== MAX_UINT32) return one;
      taken += 8;
      return wide(extra, taken - 8);
    });
    const crc = line.readUInt32LE(16);
    const head = read(start, 30 + name.length);
    expect(start).toBe(next);
    expect([head.toString("latin1", 0, 4), head.readUInt16LE(28), head.subarray(30)]).toEqual([
      "PK\x03\x04",
      0,
      name,
    ]);
    expect(head.subarray(4, 14)).toEqual(line.subarray(6, 16));
    // They stand behind the bytes.
    expect([head.readUInt32LE(14), head.readUInt32LE(18), head.readUInt32LE(22)]).toEqual([0, 0, 0]);
    const behindAt = start + head.length + packed;
    const behind = read(behindAt, isLarge ? 24 : 16);
    expect([behind.toString("latin1", 0, 4), behind.readUInt32LE(4)]).toEqual(["PK\x07\x08", crc]);
    expect(
      isLarge ? [wide(behind, 8), wide(behind, 16)] : [behind.readUInt32LE(8), behind.readUInt32LE(12)],
    ).toEqual([packed, size]);
    next = behindAt + behind.length;
    const method = line.readUInt16LE(10);
    if (size <= MAX_LENGTH) {
      const stored = read(start + head.length, packed);
      const bytes = method === 8 ? inflateRawSync(stored) : stored;
      expect([bytes.length, crc32(bytes)]).toEqual([size, crc]);
    }
    files.push({
      ...{ name: name.toString(), method, madeBy: line.readUInt16LE(4), needed: line.readUInt16LE(6) },
      ...{
        flags: line.readUInt16LE(8),
        time: line.readUInt32LE(12),
        attributes: line.readUInt32LE(38),
        size,
      },
    });
  }
  expect(next).toBe(ends.start);
  closeSync(file);
  return files;
}

/** The ZIP64 end of the directory, and what says where that is. */
function wideEnds(bytes: Buffer, at: number) {
  const number = (from: number) => Number(bytes.readBigUInt64LE(from));
  expect([bytes.toString("latin1", 0, 4), number(4), bytes.readUInt32LE(16), bytes.readUInt32LE(20)]).toEqual(
    ["PK\x06\x06", 44, 0, 0],
  );
  expect([bytes.readUInt16LE(14), number(24)]).toEqual([45, number(32)]);
  expect(bytes.toString("latin1", 56, 60)).toBe("PK\x06\x07");
  expect([bytes.readUInt32LE(60), number(64), bytes.readUInt32LE(72)]).toEqual([0, at, 1]);
  return { count: number(32), length: number(40), start: number(48) };
}
