import { MINUTE } from "../config/units";
import { MAX_COPY_MS, megabytes, walState } from "../database/wal-keeper";
import { storeStatus } from "../media/moving-media";
import type { Platen } from "../platen";
import { snapshotStatus } from "./recovery/snapshots";

export function folderStatus(platen: Platen): string[] {
  const wal = walState(platen);
  const snapshot = snapshotStatus(platen);
  const lines: string[] = [];
  if (wal)
    lines.push(
      `wal: ${megabytes(wal.length)} of at most ${megabytes(wal.limit)}`,
      wal.length >= wal.limit
        ? "copies: the WAL is too long and will be reset soon; a copy made at that moment may be damaged"
        : `copies: complete if copying takes less than ${MAX_COPY_MS / MINUTE} minutes`,
    );
  if (snapshot) {
    lines.push(`snapshot: ${snapshot.madeAt?.toISOString() ?? "none yet"}`);
    if (snapshot.error !== null) lines.push(`snapshot failed: ${snapshot.error}`);
  }
  return [...lines, ...storeStatus(platen)];
}
