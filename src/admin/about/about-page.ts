import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config";
import { durationText } from "../../config/durations";
import { isCopyBeforeMigration } from "../../database/migrate";
import { listUnfinishedJobs } from "../../jobs/jobs";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { freeDiskBytes, totalDiskBytes } from "../../runtime/disk-space";
import { type Html, html } from "../../text/html";
import { openBackupStore } from "../../upkeep/backup/backup-places";
import { readLastBackup } from "../../upkeep/backup/last-backup";
import { backupStatus } from "../../upkeep/backup/scheduled-backups";
import { folderStatus } from "../../upkeep/folder-status";
import { purgeStatus } from "../../upkeep/purging/cdn-purges";
import { getDamage } from "../../upkeep/recovery/damaged-database";
import { snapshotFile } from "../../upkeep/recovery/snapshots";
import { version } from "../../version";
import { parentLink } from "../layout/page-controls";
import type { Visit } from "../layout/visit";
import { byteWords } from "../words/byte-words";
import { type Times, timesFor } from "../words/times";

export function aboutMain({ call: { platen }, token }: Visit): Html {
  return html`<div class="page-head"><h1>About</h1></div>
<section><h2>This server</h2>
${valueTable("This server", [["Platen", version], ["Bun", Bun.version], ...diskUse(platen), ...serverState(platen)])}
<form class="actions" method="post" action="/admin/about">
${csrfField(token)}
<button class="primary" name="do" value="check">Run a check</button>
<button class="quiet" name="do" value="sizes">Create missing picture sizes</button>
<a class="button quiet" href="/admin/backups">Backups</a>
</form>
<p class="hint">The check reads the whole database and every file in the background, and reports what is wrong.</p>
</section>
<section><h2>Jobs</h2>
${jobSummary(platen)}
</section>
<section><h2>Settings</h2>
<p class="hint">Read at startup from the environment or the flags of <code>platen serve</code>.</p>
${valueTable("Settings", settingsWords(platen.config, process.env))}
</section>`;
}

function valueTable(caption: string, rows: [name: string, value: string | Html][]): Html {
  return html`<table class="values"><caption class="spoken">${caption}</caption>
<tbody>
${rows.map(([name, value]) => html`<tr><th scope="row">${breakable(name)}</th><td>${value}</td></tr>`)}
</tbody></table>`;
}

/** Inserts line-break opportunities, so that long setting names wrap on a phone. */
function breakable(name: string): Html[] {
  return name.split(/(?<=_)/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`);
}

function diskUse({ config: { data } }: Platen): [string, string][] {
  const bytes = (name: string) => statSync(join(data, name), { throwIfNoEntry: false })?.size ?? 0;
  const wal = bytes("platen.db-wal");
  return [
    ["Database", `${byteWords(bytes("platen.db") + wal)}, including ${byteWords(wal)} of WAL`],
    ["Disk", `${byteWords(freeDiskBytes(data))} free of ${byteWords(totalDiskBytes(data))}`],
  ];
}

function serverState(platen: Platen): [string, string][] {
  const damage = getDamage(platen);
  return [
    ...(damage === null ? [] : [`damage: the database is damaged (${damage}). Run: platen recover`]),
    ...folderStatus(platen),
    ...backupStatus(platen),
    ...purgeStatus(platen),
  ].map(splitStateLine);
}

/** "wal: 1 MB of at most 16 MB" → ["WAL", "1 MB of at most 16 MB"] */
function splitStateLine(line: string): [name: string, says: string] {
  const [name = "", ...says] = line.split(": ");
  return [name === "wal" ? "WAL" : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, says.join(": ")];
}

function jobSummary(platen: Platen): Html {
  const unfinished = listUnfinishedJobs(platen);
  const running = unfinished.filter(({ state }) => state === "running");
  const waiting = unfinished.length - running.length;
  return html`${
    running.length > 0 &&
    html`<ul>${running.map(({ id, title, doing }) => html`<li><a href="/admin/jobs/${id}">${title}</a> ${doing}</li>`)}</ul>`
  }
<p>${running.length === 0 && "Nothing is running. "}${waiting > 0 && `${waiting} queued. `}<a href="/admin/jobs">All jobs</a></p>`;
}

/** Every setting with its value; secrets only show whether they are set. */
function settingsWords(config: Config, environment: Record<string, string | undefined>) {
  const { backup } = config;
  const none = "–";
  const secret = (...names: string[]) => (names.some((name) => environment[name]) ? "set (hidden)" : none);
  const rows: [name: string, value: string][] = [
    ["PLATEN_DATA", config.data],
    ["PLATEN_HOST", config.host],
    ["PLATEN_PORT", String(config.port)],
    ["PLATEN_URL", config.url],
    ["PLATEN_TRUST_PROXY", config.trustProxy.join(", ") || "loopback only"],
    ["PLATEN_FORWARDED_HOST", config.forwardedHost ? "on" : "off"],
    ["PLATEN_PRIVATE_HOSTS", config.privateHosts.join(", ") || none],
    ["PLATEN_WEBHOOK_RETRY", config.webhookRetry.map(durationText).join(", ")],
    ["PLATEN_WEBHOOK_TIMEOUT", durationText(config.webhookTimeout)],
    ["PLATEN_MEMORY", byteWords(config.memory)],
    ["PLATEN_MEDIA_SIZES", config.keptSizes === null ? "a quarter of the disk" : byteWords(config.keptSizes)],
    ["PLATEN_BACKUP", backup?.to ?? none],
    ["PLATEN_BACKUP_EVERY", backup ? durationText(backup.every) : none],
    ["PLATEN_BACKUP_KEEP", backup?.keep ?? none],
    ["PLATEN_LOG", config.log],
    ["PLATEN_METRICS_TOKEN", secret("PLATEN_METRICS_TOKEN")],
    ["PLATEN_PURGE_URL", config.purge?.url.replace(/\?.*/s, "?…") ?? none],
    ["PLATEN_PURGE_HEADER", secret("PLATEN_PURGE_HEADER")],
    ["AWS_ACCESS_KEY_ID", secret("AWS_ACCESS_KEY_ID", "S3_ACCESS_KEY_ID")],
    ["AWS_SECRET_ACCESS_KEY", secret("AWS_SECRET_ACCESS_KEY", "S3_SECRET_ACCESS_KEY")],
  ];
  return rows;
}

/** Maximum wait in milliseconds for a bucket's file list: a remote bucket may be slow. */
const LISTING_TIMEOUT_MS = 3000;
const MAX_BACKUPS_SHOWN = 60;

export async function backupsMain({ call: { platen }, token }: Visit): Promise<Html> {
  const times = timesFor({ timeZone: "UTC" }, platen.now());
  const { backup } = platen.config;
  return html`${parentLink("/admin/about", "About")}
<div class="page-head"><h1>Backups</h1></div>
<section><h2>Status</h2>
${valueTable("Status", [...databaseCopies(platen, times), ...lastMade(platen, times), ...backupFailures(platen)])}
<form class="actions" method="post" action="/admin/backups">
${csrfField(token)}
${backup && html`<button class="primary" name="do" value="backup">Back up now</button>`}
<button class="quiet" name="do" value="snapshot">Create snapshot</button>
</form>
</section>
${await storedBackups(platen)}
<section><h2>Create and restore</h2>
<p>Copy the data folder at any time, even while the server runs. The copy has every change saved before you started. Or run this on the server:</p>
<pre tabindex="0"><code>platen backup DEST --data ${platen.config.data}</code></pre>
<p>DEST is a folder on another disk or <code>s3://bucket/prefix</code>. ${
    backup
      ? html`Automatic backups go to <code>${backup.to}</code>, as set in <code>PLATEN_BACKUP</code>.`
      : html`For automatic backups, set <code>PLATEN_BACKUP</code>.`
  } Backups contain secrets: keep them private.</p>
<p>To restore a backup, stop the server and run <code>platen restore SOURCE</code>. To repair a damaged database, run <code>platen recover</code>.</p>
</section>`;
}

function lastMade(platen: Platen, times: Times): [string, Html | string][] {
  const last = readLastBackup(platen.config.data);
  return [["Last backup", last ? html`${times.near(last.at)}, ${last.place}` : "None yet"]];
}

function backupFailures(platen: Platen): [string, string][] {
  const lines = [...folderStatus(platen), ...backupStatus(platen)].filter((line) =>
    / failed: |^copies: /.test(line),
  );
  return lines.map(splitStateLine);
}

function databaseCopies({ config: { data } }: Platen, times: Times): [string, Html | string][] {
  const about = (path: string) => {
    const { mtime, size } = statSync(path);
    return html`${times.near(mtime)}, ${byteWords(size)}`;
  };
  const isThere = statSync(snapshotFile(data), { throwIfNoEntry: false }) !== undefined;
  const before = readdirSync(data).filter(isCopyBeforeMigration).sort().reverse();
  return [
    ["Snapshot (snapshot.db)", isThere ? about(snapshotFile(data)) : "None yet. One is made every night."],
    ...before.map((name): [string, Html] => [`Before an upgrade (${name})`, about(join(data, name))]),
  ];
}

async function storedBackups({ config: { backup, data } }: Platen): Promise<Html | null> {
  if (!backup) return null;
  const found = await Promise.race([
    openBackupStore(backup.to, data)
      .names()
      .catch((fault: Error) => fault.message),
    Bun.sleep(LISTING_TIMEOUT_MS).then(() => "The backup store did not respond in time."),
  ]);
  if (typeof found === "string")
    return html`<section><h2>Backups in ${backup.to}</h2><p class="fault">${found}</p></section>`;
  return html`<section><h2>Backups in ${backup.to}</h2>
${
  found.length === 0
    ? html`<p>None yet.</p>`
    : html`<ul>${found
        .slice(-MAX_BACKUPS_SHOWN)
        .reverse()
        .map((name) => html`<li><code>${name}</code></li>`)}</ul>`
}
<p class="hint">Named by start time (UTC). Retention: ${backup.keep}.</p></section>`;
}
