import { existsSync, readFileSync, statSync } from "node:fs";
import { sql } from "drizzle-orm";
import type { Platen } from "../../platen";
import { CommandError } from "../shell/command-errors";

/** What systemd is told of a service of `Type=notify`; nothing, where it did not start this process. */
interface Systemd {
  /** Requests are answered from now on; and, while the database answers, that it still does. */
  ready(platen: Platen): void;
  stopping(): void;
}

/**
 * Says it by systemd's own `systemd-notify`: Bun has no sockets of the kind that sd_notify(3) wants. The unit needs
 * `NotifyAccess=all` for that.
 */
export function systemdOf(environment: Record<string, string | undefined> = process.env): Systemd {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = environment;
  const isWatched = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
  const patience = isWatched ? Number(WATCHDOG_USEC ?? 0) / 1000 : 0;
  let watch: Timer | undefined;
  const tell = (state: string) => {
    if (!NOTIFY_SOCKET) return;
    try {
      Bun.spawn(["systemd-notify", `--pid=${process.pid}`, state], { stdio: ["ignore", "ignore", "ignore"] });
    } catch {
      // A machine without the program: systemd ends the start, or the service, after its own time.
    }
  };
  return {
    ready(platen) {
      tell("READY=1");
      if (patience > 0)
        watch = setInterval(() => {
          platen.db.run(sql`SELECT 1`);
          tell("WATCHDOG=1");
        }, patience / 3);
    },
    stopping() {
      clearInterval(watch);
      tell("STOPPING=1");
    },
  };
}

/** The database, the log, each connection and each file that is sent takes one. */
const FEWEST = 256;
/** Of this process, where the system tells it (Linux). */
const LIMITS = "/proc/self/limits";

/** @throws CommandError where so few files may be open at once that visitors could not be let in */
export function demandOpenFiles(): void {
  if (!existsSync(LIMITS)) return;
  const allowed = Number(/^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1] ?? FEWEST);
  if (allowed < FEWEST)
    throw new CommandError(
      `Only ${allowed} files may be open at once here, and a server needs ${FEWEST}; type first: ulimit -n 1024`,
    );
}

/**
 * Who serves as root serves as the user whose folder it is, from then on: what is written would be closed to that user,
 * and strangers' requests need no root.
 */
export function becomeOwnerOf(folder: string): void {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
