import { join } from "node:path";
import type { Platen } from "../../platen";
import { runDecoderTask, SMALL_TASK_BYTES } from "../decoder/decoding";
import { writeAtomically } from "../files/media-folder";

/** Image shown instead of one that cannot be decoded, because pages link to its renditions. */
const BLANK_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
<rect width="400" height="300" fill="#d7d9dc"/>
<path d="M150 185l35-45 25 30 15-18 25 33z" fill="#fff"/><circle cx="225" cy="120" r="12" fill="#fff"/></svg>`;

/** Thumbnail with constant bytes, so that `isBlankImage` recognizes it. */
const BLANK_THUMBNAIL = Buffer.from(
  "UklGRiwCAABXRUJQVlA4ICACAACwKwCdASqQASwBPm02mUmkIyKhIbdYCIANiWlu4XcnVeAfYD9AJH25WaZS1EjxLFIz4go8W0Cj" +
    "eSgkrFIz4go8W0CjfK7DWpOTuhrUnJ3Q1qTk7oa1Jyd0Nak5O6GtScndDWpOTuhrUnJ3Q1qTk7oa1Jyd0Nak5O6GtScndDWpOTuh" +
    "rT5nsoUMTa1Sy92GtScndDWnzafuhPazhKA66qll7sNak5O6GmIDv8EAelqnAL8PlQA9UsvdhrUnIjBfn8LyQuPLbADt2SR4LvwP" +
    "+UTDak5O6GtScnbKEQES+EidPFECr44LagEhPAAFTTuVMhhBWdMfNTuw1qTk4QZjQQic6FmMIS1EFlahDBsf7l/0W92GtScndDTd" +
    "NkU9g1qTk7oa1Jyd0Nak5O6GtScndDWpOTuhrUnJ3Q1qTk7oa1Jyd0Nak5O6GtScndDWpOTuhrUnJ3Q1qTk7oa1Jyd0Nak5O6GtS" +
    "cnbAAP7/rMvVX4I46xeVVgUfVikarf/VyFV3IAfVjfoq+nSpv/q5Cq641iZZwWQAAYj3ZZm4jTO/Sk6DrQPYx46DhV+aR/hb8+G0" +
    "YKZC0bMoCZoeOn7ojeWMbWUpAlb2eo5ri2n1WIJtzuMVA5zGunHxDS+HlkQ5iMXlFO1f/zCaJ5mzuRWZz7RA56i/w8Wd64Scy4wA" +
    "u+zkOEakAGtZixDJ9osInVbIZfb/QAA4lvZGccucbWcbWcbWcCAA",
  "base64",
);

/** @param sizes renditions to write; a width of null means the thumbnail */
export async function writeBlankImages(
  platen: Platen,
  sizes: { name: string; width: number | null }[],
  folder: string,
): Promise<void> {
  const wide = sizes.filter(({ width }) => width !== null);
  const asked = { from: { svg: BLANK_PICTURE }, sizes: wide, folder, withPlaceholder: false };
  if (wide.length > 0) await runDecoderTask(platen, "shrink", asked, { need: SMALL_TASK_BYTES });
  for (const { name, width } of sizes)
    if (width === null) await writeAtomically(join(folder, name), [BLANK_THUMBNAIL]);
}

export async function isBlankImage(thumbnail: string): Promise<boolean> {
  const file = Bun.file(thumbnail);
  if (file.size !== BLANK_THUMBNAIL.length) return false;
  return BLANK_THUMBNAIL.equals(await file.bytes());
}
