import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Another program's transaction, which keeps everybody else from writing until the test lets go of it. */
export function lockedByOther(data: string): Disposable {
  const other = new Database(join(data, "platen.db"));
  other.run("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => other.close() };
}

/** What keeps readers off as well: a program that reads the log after a crash, for as long as that takes. */
export function readingLogOf(data: string): Disposable {
  const other = new Database(join(data, "platen.db"));
  other.run("PRAGMA locking_mode = EXCLUSIVE");
  other.run("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => other.close(true) };
}
