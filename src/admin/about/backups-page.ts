import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isCopyBeforeMigration } from "../../database/migrate";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { openBackupStore } from "../../upkeep/backup/backup-places";
import { readLastBackup } from "../../upkeep/backup/last-backup";
import { backupStatus } from "../../upkeep/backup/scheduled-backups";
import { folderStatus } from "../../upkeep/folder-status";
import { snapshotFile } from "../../upkeep/recovery/snapshots";
import { parentLink } from "../layout/list-controls";
import type { Visit } from "../layout/visit";
import { byteWords } from "../words/byte-words";
import { type Times, timesFor } from "../words/times";
import { splitStateLine, valueTable } from "./about-page";

/** A remote bucket may be slow; the page must not wait for it. */
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
