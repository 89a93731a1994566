import { deletedMediaFiles } from "../../src/upkeep/deleted-media-files";
import { HOUR, type TestPlaten } from "./platen";

/** Time passes until the files of what was deleted or replaced go, and they go. */
export async function passUntilFilesGo({ platen, pass }: Pick<TestPlaten, "platen" | "pass">): Promise<void> {
  pass(6 * HOUR);
  const sweep = deletedMediaFiles(platen);
  sweep.step();
  await sweep.settled();
}
