import { deletedFiles } from "../../src/upkeep/copies/media-removal-from-disk";
import { HOUR, type TestPlaten } from "./platen";

/** Time passes until the files of what was deleted or replaced go, and they go. */
export async function passUntilFilesGo({ platen, pass }: Pick<TestPlaten, "platen" | "pass">): Promise<void> {
  pass(6 * HOUR);
  const sweep = deletedFiles(platen);
  sweep.step();
  await sweep.settled();
}
