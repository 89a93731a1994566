import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/database/open";

/** The file of a database that migrations have made, and nobody has written to. */
export function finishedDatabase(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "platen-database-"));
  const { $client } = openDatabase(folder);
  try {
    $client.run("VACUUM");
    return $client.serialize();
  } finally {
    $client.close(false);
    rmSync(folder, { recursive: true });
  }
}
