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
import { wayUp } from "../layout/page-links";
import type { Visit } from "../layout/visit";
import { byteWords } from "../words/byte-words";
import { type Times, timesFor } from "../words/times";
import { told, valueTable } from "./about-page";

/** A bucket far away may take its time; the page does not. */
const ASKED_FOR = 3000;
/** Of a place, the newest. */
const MOST_SHOWN = 60;

/** What could be put back, how old it is, and how to make more of it. */
export async function backupsMain({ call: { platen }, token }: Visit): Promise<Html> {
  const times = timesFor({ timeZone: "UTC" }, platen.now());
  const { backup } = platen.config;
  return html`${wayUp("/admin/about", "About")}
<div class="page-head"><h1>Backups</h1></div>
<section><h2>How it stands</h2>
${valueTable("How it stands", [...files(platen, times), ...lastMade(platen, times), ...faults(platen)])}
<form class="actions" method="post" action="/admin/backups">
${csrfField(token)}
${backup && html`<button class="primary" name="do" value="backup">Back up now</button>`}
<button class="quiet" name="do" value="snapshot">Make a snapshot</button>
</form>
</section>
${await kept(platen)}
<section><h2>How one is made</h2>
<p>Copy the data folder, at any time, while the server runs: every change answered before is in the copy. Or, on the machine that Platen runs on:</p>
<pre tabindex="0"><code>platen backup DEST --data ${platen.config.data}</code></pre>
<p>DEST is a folder on another disk, or <code>s3://bucket/prefix</code>. ${
    backup
      ? html`The server makes one by itself to <code>${backup.to}</code>, as <code>PLATEN_BACKUP</code> says.`
      : html`The server makes them by itself where <code>PLATEN_BACKUP</code> says where to.`
  } Backups hold secrets: keep them to yourself.</p>
<p>One is put back, while no server runs, by <code>platen restore SOURCE</code>; a damaged database by <code>platen recover</code>.</p>
</section>`;
}

function lastMade(platen: Platen, times: Times): [string, Html | string][] {
  const last = readLastBackup(platen.config.data);
  return [["Last backup", last ? html`${times.near(last.at)}, ${last.place}` : "none yet"]];
}

function faults(platen: Platen): [string, string][] {
  const lines = [...folderStatus(platen), ...backupStatus(platen)].filter((line) =>
    / failed: |^copies: /.test(line),
  );
  return lines.map(told);
}

/** Copies of the database in the data folder itself. */
function files({ config: { data } }: Platen, times: Times): [string, Html | string][] {
  const about = (path: string) => {
    const { mtime, size } = statSync(path);
    return html`${times.near(mtime)}, ${byteWords(size)}`;
  };
  const isThere = statSync(snapshotFile(data), { throwIfNoEntry: false }) !== undefined;
  const before = readdirSync(data).filter(isCopyBeforeMigration).sort().reverse();
  return [
    ["Snapshot (snapshot.db)", isThere ? about(snapshotFile(data)) : "none yet: one is made each night"],
    ...before.map((name): [string, Html] => [`Before an update (${name})`, about(join(data, name))]),
  ];
}

/** Where the server's own backups are. */
async function kept({ config: { backup, data } }: Platen): Promise<Html | null> {
  if (!backup) return null;
  const found = await Promise.race([
    openBackupStore(backup.to, data)
      .names()
      .catch((fault: Error) => fault.message),
    Bun.sleep(ASKED_FOR).then(() => "It did not answer in time."),
  ]);
  if (typeof found === "string")
    return html`<section><h2>In ${backup.to}</h2><p class="fault">${found}</p></section>`;
  return html`<section><h2>In ${backup.to}</h2>
${
  found.length === 0
    ? html`<p>None yet.</p>`
    : html`<ul>${found
        .slice(-MOST_SHOWN)
        .reverse()
        .map((name) => html`<li><code>${name}</code></li>`)}</ul>`
}
<p class="hint">Named for when they were begun (UTC). Kept: ${backup.keep}.</p></section>`;
}
