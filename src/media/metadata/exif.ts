const ORIENTATION = 0x0112;
const EXIF_DIRECTORY = 0x8769;
const DATE_TIME_ORIGINAL = 0x9003;
const TIME = /^\d{4}:\d\d:\d\d \d\d:\d\d:\d\d$/;

/**
 * Returns the capture time in Exif format, "2026:05:01 12:30:00", or null.
 * @param tiff TIFF structure of an Exif block
 */
export function timeTaken(tiff: Buffer): string | null {
  try {
    const isLittle = tiff.toString("latin1", 0, 2) === "II";
    const u16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
    const u32 = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
    const valueIn = (directory: number, tag: number): number | null => {
      for (let index = 0; index < u16(directory); index++) {
        const entry = directory + 2 + 12 * index;
        if (u16(entry) === tag) return u32(entry + 8);
      }
      return null;
    };
    const directory = valueIn(u32(4), EXIF_DIRECTORY);
    const at = directory === null ? null : valueIn(directory, DATE_TIME_ORIGINAL);
    const text = at === null ? "" : tiff.toString("latin1", at, at + 19);
    return TIME.test(text) ? text : null;
  } catch (fault) {
    if (fault instanceof RangeError) return null; // an offset past the end
    throw fault;
  }
}

/** Builds an Exif segment with only orientation and time. */
export function photoSegment(orientation: number, time: string | null): Buffer {
  const entries = [entry(ORIENTATION, 3, 1, orientation * 0x10000)];
  const directory = 8 + 2 + 12 * (time ? 2 : 1) + 4;
  const more = time ? directoryOf([entry(DATE_TIME_ORIGINAL, 2, 20, directory + 18)]) : Buffer.alloc(0);
  if (time) entries.push(entry(EXIF_DIRECTORY, 4, 1, directory));
  const text = Buffer.from(time ? `${time}\0` : "", "latin1");
  const tiff = [Buffer.from("4d4d002a00000008", "hex"), directoryOf(entries), more, text];
  return segment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), ...tiff]));
}

/** Splits an ICC profile into segments of up to 64 KB (ICC.1:2022 B.4). */
export function profileSegments(profile: Buffer): Buffer[] {
  const length = 65_000;
  const count = Math.ceil(profile.length / length);
  return Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * length, (index + 1) * length);
    return segment(
      0xe2,
      Buffer.concat([Buffer.from("ICC_PROFILE\0"), Buffer.from([index + 1, count]), part]),
    );
  });
}

function entry(tag: number, type: number, count: number, value: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(tag, 0);
  bytes.writeUInt16BE(type, 2);
  bytes.writeUInt32BE(count, 4);
  bytes.writeUInt32BE(value, 8);
  return bytes;
}

function directoryOf(entries: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([0, entries.length]), ...entries, Buffer.alloc(4)]);
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}
