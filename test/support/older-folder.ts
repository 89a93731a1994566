import { chmodSync, cpSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "./program";

/** A copy of the data folder that an earlier release has left in test/fixtures. @param name "data-0.1.0" */
export function olderFolder(name: string): string {
  const data = freshFolder();
  cpSync(join(import.meta.dir, "../fixtures", name), data, { recursive: true });
  // In a checkout its group may write, as the umask has it.
  chmodSync(data, 0o700);
  return data;
}
