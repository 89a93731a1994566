import { readFileSync } from "node:fs";
import { join } from "node:path";

/** 64×64 pixels in HEVC: red and green above blue and white. Made with `heif-enc -q 90` from our own picture. */
export const TILE = readFileSync(join(import.meta.dir, "../fixtures/tile.heic"));

interface Photo {
  columns?: number;
  rows?: number;
  /** Size of a tile in pixels. */
  side?: number;
  /** Size of the picture, smaller than all tiles together. */
  width?: number;
  height?: number;
  /** Quarter turns, counterclockwise (irot). */
  turns?: number;
  /** A TIFF structure. */
  exif?: Buffer;
  /** An ICC profile. */
  profile?: Buffer;
}

/** A photo in the form that phones write (ISO/IEC 23008-12): a grid of equal tiles. @param tile a HEIC of one item */
export function heicPhoto(photo: Photo = {}, tile = TILE): Buffer {
  const { columns = 2, rows = 1, side = 64, turns = 0, exif, profile } = photo;
  const { width = columns * side, height = rows * side } = photo;
  const tiles = Array.from({ length: columns * rows }, (_, index) => index + 2);
  const exifId = tiles.length + 2;
  const grid = Buffer.concat([Buffer.from([0, 1, rows - 1, columns - 1]), u32(width), u32(height)]);
  const properties = [
    boxIn(tile, "hvcC"),
    full("ispe", 0, u32(side), u32(side)),
    full("ispe", 0, u32(width), u32(height)),
    box("irot", Buffer.from([turns])),
    ...(profile ? [box("colr", Buffer.from("prof"), profile)] : []),
  ];
  const ofWhole = [3, 4 | 0x80, ...(profile ? [5] : [])];
  const items = [
    { id: 1, type: "grid", data: grid, properties: ofWhole },
    ...tiles.map((id) => ({ id, type: "hvc1", data: null, properties: [1 | 0x80, 2] })),
    ...(exif ? [{ id: exifId, type: "Exif", data: Buffer.concat([u32(0), exif]), properties: [] }] : []),
  ];
  const picture = boxIn(tile, "mdat").subarray(8);
  const data = Buffer.concat([picture, ...items.flatMap((item) => item.data ?? [])]);
  const ftyp = box("ftyp", Buffer.from("heic\0\0\0\0mif1heic"));
  const metaAt = (start: number): Buffer => {
    let next = start + picture.length;
    const places = items.map(({ id, data }) => {
      const [from, length] = data ? [next, data.length] : [start, picture.length];
      if (data) next += data.length;
      return Buffer.concat([u16(id), u16(0), u16(1), u32(from), u32(length)]);
    });
    const uses = items.filter(({ properties }) => properties.length > 0);
    return full(
      "meta",
      0,
      full("hdlr", 0, u32(0), Buffer.from("pict"), Buffer.alloc(13)),
      full("pitm", 0, u16(1)),
      full(
        "iinf",
        0,
        u16(items.length),
        ...items.map(({ id, type }) =>
          full("infe", type === "grid" ? 2 << 24 : (2 << 24) | 1, u16(id), u16(0), Buffer.from(`${type}\0`)),
        ),
      ),
      full(
        "iref",
        0,
        box("dimg", u16(1), u16(tiles.length), ...tiles.map(u16)),
        ...(exif ? [box("cdsc", u16(exifId), u16(1), u16(1))] : []),
      ),
      box(
        "iprp",
        box("ipco", ...properties),
        full(
          "ipma",
          0,
          u32(uses.length),
          ...uses.map(({ id, properties }) =>
            Buffer.concat([u16(id), Buffer.from([properties.length, ...properties])]),
          ),
        ),
      ),
      full("iloc", 0, Buffer.from([0x44, 0]), u16(items.length), ...places),
    );
  };
  const start = ftyp.length + metaAt(0).length + 8;
  return Buffer.concat([ftyp, metaAt(start), box("mdat", data)]);
}

function boxIn(file: Buffer, type: string): Buffer {
  const at = file.indexOf(type) - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([u32(content.length + 8), Buffer.from(type), content]);
}

function full(type: string, versionAndFlags: number, ...parts: Buffer[]): Buffer {
  return box(type, u32(versionAndFlags), ...parts);
}

function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
