import { chmodSync, cpSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "./program";

/** Copies a data folder of an earlier release from test/fixtures. @param name "data-0.1.0" */
export function olderFolder(name: string): string {
  const data = freshFolder();
  cpSync(join(import.meta.dir, "../fixtures", name), data, { recursive: true });
  // In a checkout the group may be able to write.
  chmodSync(data, 0o700);
  return data;
}
