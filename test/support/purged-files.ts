import { deleteOldMediaFiles } from "../../src/media/deleting-media";
import { HOUR, type TestPlaten } from "./platen";

/** Moves the clock until deleted files are purged, and purges them. */
export function passUntilFilesDeleted({ platen, pass }: Pick<TestPlaten, "platen" | "pass">): void {
  pass(6 * HOUR);
  while (deleteOldMediaFiles(platen)) {}
}
