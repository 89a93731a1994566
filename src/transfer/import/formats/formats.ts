import { type Source, SourceFault } from "../sources/source";
import { bar } from "./bar";
import { bear } from "./bear";
import { feed } from "./feed-file";
import type { Format } from "./format";
import { ghost } from "./ghost";
import { markdown } from "./markdown-folder";
import { medium } from "./medium";
import { pagecord } from "./pagecord";
import { substack } from "./substack";
import { wordpress } from "./wordpress";

/** In the order in which they are tried where nobody says which it is: the one that is told most surely first. */
export const FORMATS: readonly Format[] = [
  wordpress,
  ghost,
  bar,
  substack,
  medium,
  bear,
  pagecord,
  feed,
  markdown,
];

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
