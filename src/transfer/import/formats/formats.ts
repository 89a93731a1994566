import { type Source, SourceFault } from "../sources/source";
import type { Format } from "./format";
import { markdown } from "./markdown-folder";
import { wordpress } from "./wordpress";

/** In the order in which they are tried where nobody says which it is: the one that is told most surely first. */
export const FORMATS: readonly Format[] = [wordpress, markdown];

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
