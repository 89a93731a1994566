import { deletedMediaFiles } from "../../src/upkeep/deleted-media-files";
import { HOUR, type TestPlaten } from "./platen";

/** Moves the clock until deleted files are purged, and purges them. */
export async function passUntilFilesDeleted({
  platen,
  pass,
}: Pick<TestPlaten, "platen" | "pass">): Promise<void> {
  pass(6 * HOUR);
  const sweep = deletedMediaFiles(platen);
  sweep.step();
  await sweep.settled();
}
