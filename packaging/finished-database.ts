import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/database/open";

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
