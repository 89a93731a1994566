import { join } from "node:path";
import { sql } from "drizzle-orm";
import { baseHost, blogAtHost } from "./blogs/blog-addresses";
import { type Blog, listBlogs } from "./blogs/blogs";
import { PROOF, proofOf } from "./blogs/domain-check";
import { MAX_LENGTHS } from "./config/request-limits";
import { isDatabaseWritable } from "./database/transactions";
import { countWaiting } from "./deliveries/claims";
import { forbidden, unauthorized } from "./errors";
import { type Call, requestCounts } from "./http/requests/call";
import { clientAddress, isFromThisMachine, requestBase } from "./http/requests/client-address";
import { readHeader } from "./http/requests/headers";
import { textErrorResponse } from "./http/responses/error-responses";
import { CACHE_CONTROL, jsonResponse, sendResponse, textResponse } from "./http/responses/response";
import { router } from "./http/router";
import { listUnfinishedJobs } from "./jobs/jobs";
import { countKomments } from "./komments/komment-list";
import { countMessages } from "./messages";
import type { Platen } from "./platen";
import { countPosts, STATUSES, TYPES } from "./posts/storage/post-list-queries";
import { freeDiskBytes } from "./runtime/disk-space";
import { fileSize } from "./runtime/files";
import { isEqualSecret } from "./secrets";
import { backupStatus, readLastBackup } from "./upkeep/backup/backup-schedule";
import { purgeFailure, purgeStatus } from "./upkeep/cdn-purges";
import { PROXY_ECHO_PATH } from "./upkeep/doctor-address-checks";
import { folderStatus } from "./upkeep/folder-status";
import { getDamage } from "./upkeep/recovery/damaged-database";
import { snapshotStatus } from "./upkeep/recovery/snapshots";
import { version } from "./version";
import { listWebhooks } from "./webhooks/webhook-urls";

export const monitoring = (platen: Platen) =>
  router(platen, "monitoring", textErrorResponse)
    // The process responds.
    .get("/livez", ({ call }) => sendState(call, 200, "alive"))
    // The database is readable, and writable as far as known. ?full adds the status of folder, backups and purges.
    .get("/readyz", ({ call }) => {
      // The details name folders and buckets.
      if (call.url.searchParams.has("full")) assertMonitor(call);
      return sendState(call, ...readiness(call));
    })
    // Prometheus text format 0.0.4. Must contain no personal data.
    .get("/metrics", ({ call }) => {
      assertMonitor(call);
      const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
      const families = [ofProcess, ofFolder, ofWork, ofBlogs].flatMap((collect) => collect(platen));
      return sendState(call, 200, families.join("").trimEnd(), headers);
    })
    // For Caddy's `on_demand_tls` (`?domain=`). Previous domains of blogs count too.
    .get("/.well-known/platen-domain", ({ call }) => {
      const asked = call.url.searchParams.get("domain")?.toLowerCase() ?? "";
      const isOurs =
        asked.length <= MAX_LENGTHS.host &&
        (asked === baseHost(platen) || blogAtHost(platen, asked) !== undefined);
      return isOurs ? sendState(call, 200, "known") : sendState(call, 404, "No blog here has this domain.");
    })
    // Proves that a domain points to this server, so any Host header is accepted.
    .get(`${PROOF}:question`, ({ call }) => {
      const proof = proofOf(platen, call.url.pathname.slice(PROOF.length));
      return sendState(call, proof ? 200 : 404, proof ?? "This challenge is unknown.");
    })
    // `platen doctor` calls this route through the reverse proxy, to see which URL and client address arrive.
    .get(PROXY_ECHO_PATH, ({ call }) => {
      const { protocol, host } = requestBase(call);
      const way = { base: `${protocol}//${host}`, client: clientAddress(call) };
      return sendResponse(call, jsonResponse(200, way, { "cache-control": CACHE_CONTROL.noStore }));
    });

type State = [status: number, state: string];

function readiness({ platen, url }: Call): State {
  try {
    platen.db.run(sql`SELECT 1`);
    if (getDamage(platen) !== null)
      return [503, "The database is damaged and read-only; run: platen recover"];
    if (!isDatabaseWritable(platen))
      return [503, "Nothing can be written: the disk is broken or read-only; run: platen doctor"];
    const more = url.searchParams.has("full")
      ? [...folderStatus(platen), ...backupStatus(platen), ...purgeStatus(platen)]
      : [];
    return [200, ["ready", ...more].join("\n")];
  } catch {
    return [503, "The database does not respond."];
  }
}

const sendState = (call: Call, status: number, state: string, headers: Record<string, string> = {}) =>
  sendResponse(call, textResponse(status, state, { "cache-control": CACHE_CONTROL.noStore, ...headers }));

function assertMonitor(call: Call): void {
  const { metricsToken } = call.platen.config;
  const presented = readHeader(call.request, "authorization");
  if (presented !== null && metricsToken !== null && isEqualSecret(presented, `Bearer ${metricsToken}`))
    return;
  if (presented !== null) throw unauthorized("This is not the token of PLATEN_METRICS_TOKEN.");
  if (!isFromThisMachine(call))
    throw forbidden("This needs the token of PLATEN_METRICS_TOKEN, except from this machine.");
}

function ofProcess(platen: Platen): string[] {
  const { requests, errors } = requestCounts(platen);
  const { user, system } = process.cpuUsage();
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  return [
    family("platen_info", "gauge", "Always 1; the label has the running version.", [[{ version }, 1]]),
    gauge("process_start_time_seconds", "When the process started, in Unix time.", startedAt),
    gauge("process_resident_memory_bytes", "Memory in use.", memoryInUse()),
    counter("process_cpu_seconds_total", "Processor time spent.", (user + system) / 1e6),
    counter("platen_requests_total", "Requests so far.", requests),
    counter("platen_faults_total", "Requests with response status 500.", errors),
  ];
}

function memoryInUse(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

function ofFolder(platen: Platen): string[] {
  const { data } = platen.config;
  const size = (name: string) => fileSize(join(data, name)) ?? 0;
  const seconds = (at: Date | null | undefined) => (at ? at.getTime() / 1000 : undefined);
  const snapshotAt = seconds(snapshotStatus(platen)?.madeAt);
  const backupAt = seconds(readLastBackup(data)?.at);
  return [
    gauge(
      "platen_damaged",
      "1 if the database is damaged and read-only.",
      getDamage(platen) === null ? 0 : 1,
    ),
    gauge("platen_disk_free_bytes", "Free space on the data folder's disk.", freeDiskBytes(data)),
    gauge("platen_database_bytes", "Size of platen.db.", size("platen.db")),
    gauge("platen_log_bytes", "Size of the write-ahead log.", size("platen.db-wal")),
    gauge("platen_last_snapshot_time_seconds", "When the newest snapshot was made.", snapshotAt),
    gauge("platen_last_backup_time_seconds", "When the newest verified backup was started.", backupAt),
  ];
}

function ofWork(platen: Platen): string[] {
  const failing = listWebhooks(platen).filter((webhook) => webhook.failingSince ?? webhook.disabledAt);
  const purgeFailing = platen.config.purge ? Number(purgeFailure(platen) !== null) : undefined;
  return [
    gauge("platen_jobs_unfinished", "Queued and running jobs.", listUnfinishedJobs(platen).length),
    gauge("platen_webhook_deliveries_waiting", "Pending deliveries.", countWaiting(platen)),
    gauge("platen_webhooks_failing", "Webhooks that fail or are disabled.", failing.length),
    gauge("platen_purge_failing", "1 if the last CDN purge failed.", purgeFailing),
  ];
}

function ofBlogs(platen: Platen): string[] {
  const blogs = listBlogs(platen);
  const posts = blogs.flatMap(({ id: blogId, slug: blog }) =>
    STATUSES.map((status): Sample => {
      return [{ blog, status }, countPosts(platen, { blogId, statuses: [status], types: TYPES })];
    }),
  );
  const each = (count: (blog: Blog) => number) =>
    blogs.map((blog): Sample => [{ blog: blog.slug }, count(blog)]);
  const waiting = each((blog) => countKomments(platen, blog, "waiting"));
  const unread = each((blog) => countMessages(platen, blog, "waiting"));
  return [
    family("platen_posts", "gauge", "Posts and pages by status; scheduled posts count as published.", posts),
    family("platen_komments_waiting", "gauge", "Pending komments.", waiting),
    family("platen_messages_waiting", "gauge", "Unread messages.", unread),
  ];
}

const gauge = (name: string, help: string, value: number | undefined) =>
  family(name, "gauge", help, value === undefined ? [] : [[{}, value]]);

const counter = (name: string, help: string, value: number) => family(name, "counter", help, [[{}, value]]);

type Sample = [labels: Record<string, string>, value: number];

function family(name: string, type: "gauge" | "counter", help: string, samples: Sample[]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(([labels, value]) => `${name}${formatLabels(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

/** Values are slugs, statuses or versions, which need no escaping. */
function formatLabels(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}
