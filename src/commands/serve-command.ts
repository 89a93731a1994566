import { statSync } from "node:fs";
import type { Server } from "bun";
import { sql } from "drizzle-orm";
import { setupToken } from "../admin/setup-token";
import { blogInPlaceOfHome } from "../blogs/blog-addresses";
import { baseAddress, isOnAllInterfaces, readSettings, SettingError, type Settings } from "../config/config";
import { SECOND } from "../config/units";
import { closeDatabase, useServerBusyTimeout } from "../database/open";
import { errorCode } from "../errors";
import { removeAbandonedUploads } from "../media/files/media-folder";
import type { Platen } from "../platen";
import { yieldToEventLoop } from "../runtime/yielding";
import { clockWatch, lastWriteTime, startBackgroundTasks } from "../upkeep/background-tasks";
import { isInDataFolder } from "../upkeep/backup/backup-schedule";
import {
  assertUploadsHaveAccount,
  getDamage,
  markCleanStop,
  mayBeTorn,
  startCheck,
} from "../upkeep/recovery/damaged-database";
import { endWorkers } from "../worker-queue";
import { CHANNELS, JOB_KINDS } from "./channels-and-job-kinds";
import { command } from "./shell/command";
import { CommandError } from "./shell/command-errors";
import { createPlaten, openDataFolder, storeServerSettings } from "./shell/data-folder";
import { print } from "./shell/terminal";
import { option } from "./shell/usage";

/** Routes have their own limits. A limit here would respond with 413 before the key is checked. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;
const IDLE_TIMEOUT_SECONDS = 120;
/**
 * Bun handles all pipelined requests of a connection in one tick, which would block the other connections.
 * Further requests wait for the next tick. Bun closes a connection if one of its pipelined requests waits.
 */
const MAX_REQUESTS_PER_TICK = 256;
/** How long running requests may take after the stop signal. */
const FINISH_MS = 10 * SECOND;
/** The start waits at most this long for the check of a possibly damaged database. */
const CHECK_WAIT_MS = SECOND;

type Handler = (request: Request) => Response | Promise<Response>;

export default command(
  {
    help: "start the server; `platen` alone does the same",
    options: {
      host: option("ADDRESS", "address to listen on [PLATEN_HOST or 127.0.0.1]"),
      port: option("PORT", "port, 0 for any free one [PLATEN_PORT or 4000]"),
      url: option("URL", "public URL [PLATEN_URL]"),
      "trust-proxy": option("LIST", "trusted proxies: addresses or ranges [loopback]"),
      log: option("FORMAT", "log format, text or json [PLATEN_LOG or text]"),
    },
  },
  async ({ values }) => await serve(readSettings(values, process.env)),
);

/** @param prepare runs before the server handles the first request */
export async function serve(
  settings: Settings,
  prepare: (platen: Platen) => Promise<void> = async () => {},
): Promise<undefined> {
  const stopAsked = new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, resolve);
  });
  const systemd = systemdOf();
  const needsCheck = mayBeTorn(settings.data);
  const trustsClock = clockWatch(lastWriteTime(settings.data));
  const db = openDataFolder(settings, { isToBeServed: true });
  try {
    const { server, startHandling, lastRequestAt } = listen(settings);
    dropRootPrivileges(settings.data);
    const address = baseAddress(settings.host, server.port as number);
    const platen = createPlaten({ ...settings, url: settings.url ?? address }, db);
    assertUploadsHaveAccount(platen);
    assertUsableSettings(platen);
    logUncaughtErrors(platen);
    await removeAbandonedUploads(platen);
    let work: ReturnType<typeof startBackgroundTasks> | null = null;
    const check = needsCheck ? startCheck(platen, () => void work?.stop()) : null;
    await Promise.race([check?.settled, Bun.sleep(CHECK_WAIT_MS)]);
    if (getDamage(platen) === null)
      work = startBackgroundTasks(platen, {
        channels: CHANNELS,
        jobKinds: JOB_KINDS,
        lastRequestAt,
        trustsClock,
        prepare: () => storeServerSettings(platen),
      });
    useServerBusyTimeout(db);
    await prepare(platen);
    // Imported here, so that `platen help` does not load the server.
    const { platenApp } = await import("../app");
    const app = platenApp(platen, server);
    await app.modules;
    startHandling(app.compile().fetch);
    await printAddress(platen, settings, address);
    systemd.ready(platen);

    await stopAsked;
    systemd.stopping();
    const finished = finishRequests(server);
    await Promise.all([finished, work?.stop(finished), check?.end()]);
    await removeAbandonedUploads(platen, Number.POSITIVE_INFINITY);
    if (getDamage(platen) === null && (check === null || check.isWhole())) markCleanStop(settings.data);
  } finally {
    endWorkers();
    closeDatabase(db);
  }
}

/** @throws SettingError for the domain of another blog, which would hide the home blog, or a bad backup folder */
function assertUsableSettings(platen: Platen): void {
  const { url, backup, data } = platen.config;
  const blog = blogInPlaceOfHome(platen);
  if (blog)
    throw new SettingError(
      `PLATEN_URL (--url) is "${url}", the domain of the blog ${blog.slug}; choose another, or run: platen blog set ${blog.slug} --domain ""`,
    );
  if (backup && isInDataFolder(backup.to, data))
    throw new SettingError(
      `PLATEN_BACKUP is "${backup.to}", which is inside the data folder; choose another folder, on another disk if possible.`,
    );
}

/** Opens the port early, because the base URL may contain its number. Requests wait for `startHandling`. */
function listen({ host, port }: Settings) {
  const { promise, resolve } = Promise.withResolvers<Handler>();
  let handle: Handler = async (request) => (await promise)(request);
  /** A `performance.now()` time; -Infinity before the first request. */
  let lastRequestAt = Number.NEGATIVE_INFINITY;
  let recentRequests = 0;
  const startHandling = (handler: Handler) => {
    handle = handler;
    resolve(handler);
  };
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      maxRequestBodySize: MAX_BODY_BYTES,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      development: false,
      // Prevents Bun from sharing the port with another server.
      reusePort: false,
      fetch: (request) => {
        lastRequestAt = performance.now();
        // Resetting the count in every tick would slow down all pages, so this waits for half.
        if (++recentRequests === MAX_REQUESTS_PER_TICK / 2) setImmediate(() => (recentRequests = 0));
        if (recentRequests <= MAX_REQUESTS_PER_TICK) return handle(request);
        return yieldToEventLoop().then(() => handle(request));
      },
      error(error) {
        console.error(error);
        return new Response("Something went wrong.\n", { status: 500 });
      },
    });
    return { server, startHandling, lastRequestAt: () => lastRequestAt };
  } catch (error) {
    const advice = "choose another with --port or PLATEN_PORT";
    if (errorCode(error) === "EADDRINUSE")
      throw new CommandError(`Port ${port} is already in use; ${advice}.`);
    if (errorCode(error) === "EACCES")
      throw new CommandError(`Port ${port} needs root privileges; ${advice}.`);
    throw new SettingError(`PLATEN_HOST (--host) is "${host}"; it must be an address of this machine.`);
  }
}

/** An uncaught error in one request must not end the process. */
function logUncaughtErrors(platen: Platen): void {
  const report = (error: unknown) =>
    platen.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.on("unhandledRejection", report);
  process.on("uncaughtException", report);
}

async function printAddress(platen: Platen, settings: Settings, address: string): Promise<void> {
  const { url } = platen.config;
  if (settings.url === null && isOnAllInterfaces(settings.host))
    platen.log(`Links begin with ${url}; set PLATEN_URL to the address that readers use.`);
  const lines = [`Platen is at ${address}/${url === address ? "" : `; its public address is ${url}/`}`];
  const token = setupToken(platen);
  if (token) lines.push(`Set up at ${url}/setup?token=${token}`);
  await print(lines.join("\n"));
}

async function finishRequests(server: Server<undefined>): Promise<void> {
  const finished = await Promise.race([server.stop().then(() => true), Bun.sleep(FINISH_MS)]);
  if (!finished) await server.stop(true);
}

/**
 * Uses `systemd-notify`, because Bun has no Unix datagram sockets for sd_notify(3). The unit needs
 * `NotifyAccess=all`.
 */
function systemdOf() {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = process.env;
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
    /** If the database does not respond, the watchdog is not notified, so that systemd ends the server. */
    ready(platen: Platen): void {
      notify("READY=1");
      if (patience > 0)
        watch = setInterval(() => {
          platen.db.run(sql`SELECT 1`);
          notify("WATCHDOG=1");
        }, patience / 3);
    },
    stopping(): void {
      clearInterval(watch);
      notify("STOPPING=1");
    },
  };
}

function dropRootPrivileges(folder: string): void {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
