import { type Source, SourceFault } from "../sources/source";
import { bar } from "./bar";
import { bear } from "./bear";
import { feed } from "./feed";
import { FORMAT_NAMES, type Format, type FormatName } from "./format";
import { ghost } from "./ghost";
import { markdown } from "./markdown";
import { medium } from "./medium";
import { pagecord } from "./pagecord";
import { substack } from "./substack";
import { wordpress } from "./wordpress";

export const ARCHIVE_FILE = "archive.json";

/** What `platen export platen` makes. There is more in it than items: import/archive brings it back. */
export const platen: Format = {
  name: "platen",
  brings: "what platen export platen has made, as it was",
  recognises: async (source) => source.has(ARCHIVE_FILE) && source.has("blog.json"),
  texts: ({ paths }) => paths.filter((path) => path.endsWith(".jsonl")),
  async *read() {},
};

const BY_NAME: Record<FormatName, Format> = {
  ...{ platen, wordpress, ghost, bar, substack, medium, bear, pagecord, feed, markdown },
};

export const FORMATS: readonly Format[] = FORMAT_NAMES.map((name) => BY_NAME[name]);

/** @throws SourceFault where it is none that is known */
export async function formatOf(source: Source): Promise<Format> {
  for (const format of FORMATS) if (await format.recognises(source)) return format;
  throw new SourceFault(
    `${source.name} is in none of the formats that can be told by looking: ${FORMATS.map(({ name }) => name).join(", ")}.`,
  );
}

/** The same format, where what is there can be read as it. @throws SourceFault */
export async function demandFormat(source: Source, format: Format): Promise<Format> {
  if (await format.recognises(source)) return format;
  throw new SourceFault(`${source.name} holds nothing that ${format.name} exports.`);
}
