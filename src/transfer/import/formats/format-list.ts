import { platen } from "../archive/archive-reader";
import type { ImportFormat } from "../items/imported-item";
import { type Source, SourceError } from "../sources/source-files";
import { bear } from "./bear";
import { bar, feed } from "./feed";
import { ghost } from "./ghost";
import { markdown } from "./markdown";
import { medium } from "./medium";
import { pagecord } from "./pagecord";
import { substack } from "./substack";
import { wordpress } from "./wordpress";

/** In the order of detection, most specific first. */
export const IMPORT_FORMATS: readonly ImportFormat[] = [
  ...[platen, wordpress, ghost, bar, substack, medium, bear, pagecord, feed, markdown],
];

/** @throws SourceError if the source has another format than `required`, or an unknown format */
export async function detectFormat(source: Source, required: ImportFormat | null): Promise<ImportFormat> {
  for (const format of required ? [required] : IMPORT_FORMATS)
    if ((await format.find(source)).length > 0) return format;
  if (required) throw new SourceError(`${source.name} is not in the format ${required.name}.`);
  const known = IMPORT_FORMATS.map(({ name }) => name).join(", ");
  throw new SourceError(`${source.name} has an unknown format. Known formats: ${known}.`);
}
