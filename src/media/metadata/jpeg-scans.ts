/** In a progressive JPEG. Encoders write about ten; each is decoded over the whole picture, however few bytes it has. */
export const MOST_SCANS = 100;

/** How many scans a decoder finds in a JPEG: like libjpeg's, it looks past what does not follow the format. */
export function scansIn(bytes: Buffer): number {
  let scans = 0;
  for (let at = bytes.indexOf(0xff, 2); at !== -1; at = bytes.indexOf(0xff, at)) {
    while (bytes[at] === 0xff) at++;
    const marker = bytes[at++];
    if (marker === undefined || marker === END_OF_IMAGE) break;
    if (marker === START_OF_SCAN) scans++;
    if (hasLength(marker) && at + 2 <= bytes.length) at += Math.max(2, bytes.readUInt16BE(at));
  }
  return scans;
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** All have one but an escaped FF, TEM, and the restart markers and start inside or before compressed data. */
function hasLength(marker: number): boolean {
  return marker > 0x01 && (marker < 0xd0 || marker > 0xd8);
}
