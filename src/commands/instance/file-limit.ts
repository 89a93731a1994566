import { existsSync, readFileSync } from "node:fs";
import { CommandFault } from "../shell/command-faults";

/** The database, the log, each connection and each file that is sent takes one. */
const FEWEST = 256;
/** Of this process, where the system tells it (Linux). */
const LIMITS = "/proc/self/limits";

/** @throws CommandFault where so few files may be open at once that visitors could not be let in */
export function demandOpenFiles(): void {
  if (!existsSync(LIMITS)) return;
  const allowed = Number(/^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1] ?? FEWEST);
  if (allowed < FEWEST)
    throw new CommandFault(
      `Only ${allowed} files may be open at once here, and a server needs ${FEWEST}; type first: ulimit -n 1024`,
    );
}
