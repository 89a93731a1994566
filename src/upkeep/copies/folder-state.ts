import { storeState } from "../../media/moving/store-loop";
import type { Platen } from "../../platen";
import { HOUR } from "../../units";
import { COPY_MAY_TAKE, logState, megabytes } from "./log-keeping";
import { snapshotState } from "./nightly-snapshots";

/** How the data folder does, in lines for the operator: `name: what`. */
export function folderState(platen: Platen): string[] {
  const log = logState(platen);
  const snapshot = snapshotState(platen);
  const lines: string[] = [];
  if (log)
    lines.push(
      `log: ${megabytes(log.length)} of at most ${megabytes(log.limit)}`,
      log.length >= log.limit
        ? "copies: the log is too long and about to be started over; a copy under way then may be torn"
        : `copies: whole where they take less than ${COPY_MAY_TAKE / HOUR} hours`,
    );
  if (snapshot) {
    lines.push(`snapshot: ${snapshot.madeAt?.toISOString() ?? "none yet"}`);
    if (snapshot.fault !== null) lines.push(`snapshot failed: ${snapshot.fault}`);
  }
  return [...lines, ...storeState(platen)];
}
