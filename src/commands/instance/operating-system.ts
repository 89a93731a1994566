import { existsSync, readFileSync, statSync } from "node:fs";
import { sql } from "drizzle-orm";
import type { Platen } from "../../platen";
import { CommandError } from "../shell/command-errors";

/** Notifications for `Type=notify` services. Without systemd, the methods do nothing. */
interface Systemd {
  /** Reports readiness, then notifies the watchdog as long as the database responds. */
  ready(platen: Platen): void;
  stopping(): void;
}

/** Uses `systemd-notify`, because Bun has no datagram sockets for sd_notify(3). The unit needs `NotifyAccess=all`. */
export function systemdOf(environment: Record<string, string | undefined> = process.env): Systemd {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = environment;
  const isWatched = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
  const patience = isWatched ? Number(WATCHDOG_USEC ?? 0) / 1000 : 0;
  let watch: Timer | undefined;
  const notify = (state: string) => {
    if (!NOTIFY_SOCKET) return;
    try {
      Bun.spawn(["systemd-notify", `--pid=${process.pid}`, state], { stdio: ["ignore", "ignore", "ignore"] });
    } catch {
      // systemd-notify is missing; the unit will time out.
    }
  };
  return {
    ready(platen) {
      notify("READY=1");
      if (patience > 0)
        watch = setInterval(() => {
          platen.db.run(sql`SELECT 1`);
          notify("WATCHDOG=1");
        }, patience / 3);
    },
    stopping() {
      clearInterval(watch);
      notify("STOPPING=1");
    },
  };
}

const MIN_OPEN_FILES = 256;
const PROC_LIMITS = "/proc/self/limits";

/** @throws CommandError if the limit of open files is too low */
export function assertOpenFileLimit(): void {
  if (!existsSync(PROC_LIMITS)) return;
  const allowed = Number(
    /^Max open files\s+(\d+)/m.exec(readFileSync(PROC_LIMITS, "utf8"))?.[1] ?? MIN_OPEN_FILES,
  );
  if (allowed < MIN_OPEN_FILES)
    throw new CommandError(
      `The limit of open files is ${allowed}; a server needs ${MIN_OPEN_FILES}. Type first: ulimit -n 1024`,
    );
}

/** If started by root, continues as the user who owns the folder. */
export function dropRootPrivileges(folder: string): void {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
