/**
 * Returns an AVIF without metadata. Boxes refer to each other by position, so metadata is overwritten in place. Boxes
 * become "free" (ISO 14496-12); items get an unknown type and zeros.
 * @returns null if the file is malformed or truncated
 */
export function avifWithoutMetadata(bytes: Buffer): Buffer[] | null {
  const cleaned = Buffer.from(bytes);
  const boxes = boxesIn(cleaned, 0, cleaned.length);
  if (!boxes.some(({ type }) => type === "meta")) return null;
  for (const box of boxes) {
    if (box.type === "meta") cleanMeta(cleaned, box);
    else if (box.type === "moov") cleanFilm(cleaned, box);
    else if (!/^(ftyp|mdat)$/.test(box.type)) free(cleaned, box);
  }
  // Drops bytes after the last box.
  const end = boxes.at(-1)?.end as number;
  return [cleaned.subarray(0, end)];
}

interface Box {
  type: string;
  /** Start position in the file. `content` and `end` are positions too. */
  start: number;
  content: number;
  end: number;
}

/**
 * Lists the boxes in a range. Length 1 means that an 8-byte length follows the type; 0 means the rest of the file.
 */
function boxesIn(bytes: Buffer, from: number, until: number): Box[] {
  const boxes: Box[] = [];
  for (let start = from; start + 8 <= until; ) {
    const length = bytes.readUInt32BE(start);
    const isLong = length === 1;
    const end = length === 0 ? until : start + (isLong ? Number(bytes.readBigUInt64BE(start + 8)) : length);
    const content = start + (isLong ? 16 : 8);
    if (end < content || end > until) throw new RangeError("a box that is longer than what it lies in");
    boxes.push({ type: bytes.toString("latin1", start + 4, start + 8), start, content, end });
    start = end;
  }
  return boxes;
}

function free(bytes: Buffer, { start, content, end }: Box): void {
  bytes.write("free", start + 4, "latin1");
  bytes.fill(0, content, end);
}

/** Boxes in "meta" that are kept, because they describe how items form images. */
const KEPT_IN_META = /^(hdlr|pitm|iloc|iinf|iprp|iref|idat|grpl|dinf)$/;
/** Types of items that are images or consist of images. */
const PICTURE_ITEM = /^(av01|grid|iovl|iden|tmap)$/;

function cleanMeta(bytes: Buffer, meta: Box): void {
  const boxes = boxesIn(bytes, meta.content + 4, meta.end);
  const named = (type: string) => boxes.find((box) => box.type === type);
  const [infos, locations] = [named("iinf"), named("iloc")];
  if (!infos || !locations) throw new RangeError("no items");
  const ofMetadata = new Set<number>();
  for (const { id, typeAt } of itemsIn(bytes, infos)) {
    if (PICTURE_ITEM.test(bytes.toString("latin1", typeAt, typeAt + 4))) continue;
    ofMetadata.add(id);
    bytes.write("skip", typeAt, "latin1");
  }
  for (const { id, from, until } of extentsIn(bytes, locations, named("idat")))
    if (ofMetadata.has(id)) bytes.fill(0, from, until);
  for (const box of boxes) if (!KEPT_IN_META.test(box.type)) free(bytes, box);
}

/** Cleans an AVIF sequence. Keeps its tracks and drops descriptions. */
function cleanFilm(bytes: Buffer, film: Box): void {
  for (const box of boxesIn(bytes, film.content, film.end)) {
    if (box.type === "trak") cleanFilm(bytes, box);
    else if (!/^(mvhd|mvex|tkhd|tref|edts|mdia)$/.test(box.type)) free(bytes, box);
  }
}

/** Reads numbers of variable width in bytes. A number of width 0 is 0. */
function reader(bytes: Buffer, at: number) {
  const next = (width: number): number => {
    at += width;
    if (width === 8) return Number(bytes.readBigUInt64BE(at - 8));
    return width === 0 ? 0 : bytes.readUIntBE(at - width, width);
  };
  return { next, at: () => at };
}

/** Lists items (ISO 14496-12, 8.11.6). @throws RangeError for versions below 2, which AVIF does not allow */
function itemsIn(bytes: Buffer, infos: Box): { id: number; typeAt: number }[] {
  const isWide = bytes.readUInt8(infos.content) > 0;
  return boxesIn(bytes, infos.content + (isWide ? 8 : 6), infos.end).map(({ content }) => {
    const { next, at } = reader(bytes, content);
    const version = next(1);
    if (version < 2) throw new RangeError("an item without a type");
    next(3);
    const id = next(version === 2 ? 2 : 4);
    next(2);
    return { id, typeAt: at() };
  });
}

/** Lists extents of items (ISO 14496-12, 8.11.3). @param data box for extents with construction method 1 */
function extentsIn(bytes: Buffer, locations: Box, data: Box | undefined) {
  const { next } = reader(bytes, locations.content);
  const version = next(1);
  next(3);
  const widths = next(2);
  const [offsetWidth, lengthWidth, baseWidth] = [widths >> 12, (widths >> 8) & 15, (widths >> 4) & 15];
  const indexWidth = version === 0 ? 0 : widths & 15;
  const extents: { id: number; from: number; until: number }[] = [];
  for (let items = next(version < 2 ? 2 : 4); items > 0; items--) {
    const id = next(version < 2 ? 2 : 4);
    const isInData = version > 0 && (next(2) & 15) === 1;
    next(2);
    const base = next(baseWidth) + (isInData ? (data?.content ?? 0) : 0);
    let extent = next(2);
    if (extent > 1 && indexWidth + offsetWidth + lengthWidth === 0)
      throw new RangeError("extents of nothing");
    for (; extent > 0; extent--) {
      next(indexWidth);
      const from = base + next(offsetWidth);
      extents.push({ id, from, until: from + next(lengthWidth) });
    }
  }
  return extents;
}
