import { type Source, SourceError } from "../sources/source";
import { bear } from "./bear";
import { bar, feed } from "./feed";
import { FORMAT_NAMES, type FormatName, type ImportFormat } from "./format";
import { ghost } from "./ghost";
import { markdown } from "./markdown";
import { medium } from "./medium";
import { pagecord } from "./pagecord";
import { substack } from "./substack";
import { wordpress } from "./wordpress";

export const ARCHIVE_FILE = "archive.json";

/** src/transfer/import/archive restores this format, so `read` yields nothing. */
export const platen: ImportFormat = {
  name: "platen",
  find: ({ has }) => (has(ARCHIVE_FILE) && has("blog.json") ? [ARCHIVE_FILE] : []),
  async *read() {},
};

const BY_NAME: Record<FormatName, ImportFormat> = {
  ...{ platen, wordpress, ghost, bar, substack, medium, bear, pagecord, feed, markdown },
};

export const IMPORT_FORMATS: readonly ImportFormat[] = FORMAT_NAMES.map((name) => BY_NAME[name]);

/** @throws SourceError if the source has another format than `required`, or an unknown format */
export async function detectFormat(source: Source, required: ImportFormat | null): Promise<ImportFormat> {
  for (const format of required ? [required] : IMPORT_FORMATS)
    if ((await format.find(source)).length > 0) return format;
  if (required) throw new SourceError(`${source.name} is not in the format ${required.name}.`);
  const known = FORMAT_NAMES.join(", ");
  throw new SourceError(`${source.name} has an unknown format. Known formats: ${known}.`);
}
