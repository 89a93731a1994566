import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BackupSchedule } from "../config/config";
import { durationText } from "../config/units";
import { isCopyBeforeMigration } from "../database/migrate";
import { inTransaction } from "../database/transactions";
import { inputField, NO_CORRECTIONS, selectField } from "../http/form-field";
import { startJobOnce } from "../jobs/jobs";
import { passwordAgainField, requireRecentPassword } from "../owner/password-confirmation";
import type { Platen } from "../platen";
import { type Html, html } from "../text/html";
import { byteWords } from "../text/numbers";
import {
  type BackupInput,
  backupSchedule,
  backupStatus,
  readLastBackup,
  setBackupSchedule,
} from "../upkeep/backup/backup-schedule";
import { openBackupStore } from "../upkeep/backup/folder-and-s3-backups";
import { folderStatus } from "../upkeep/folder-status";
import { snapshotFile } from "../upkeep/recovery/snapshots";
import { backupJob, snapshotJob } from "../upkeep/upkeep-jobs";
import { environmentSettings, splitStateLine, valueTable } from "./about-routes";
import { aboutHead } from "./layout/admin-styles";
import { parentLink, postForm } from "./layout/page-controls";
import { type AdminPage, serverRoutes, withActions } from "./layout/routing";
import { type Times, timesFor } from "./layout/times-and-languages";
import { type AdminForm, formState, type Visit } from "./layout/visit";

export const backupsRoutes = serverRoutes({
  "GET /backups": backupsPage,
  "POST /backups": withActions(
    {
      backup: (visit) => startJob(visit, backupJob),
      snapshot: (visit) => startJob(visit, snapshotJob),
      save: saveSchedule,
    },
    backupsPage,
  ),
});

/** Saving a schedule starts a backup at once, so that the owner sees whether backups work. */
async function saveSchedule(visit: Visit, form: AdminForm) {
  const field = (name: keyof BackupInput) => form.text(name).trim();
  const input = { to: field("to"), every: field("every"), keep: field("keep") };
  await requireRecentPassword(visit, form);
  inTransaction(visit.platen, () => setBackupSchedule(visit.platen, visit.account, input));
  if (input.to !== "") return startJob(visit, backupJob);
  return "Automatic backups are off.";
}

function startJob({ platen, account }: Visit, kind: typeof backupJob) {
  return { location: `/admin/jobs/${startJobOnce(platen, kind, { blog: null, account, input: {} })}` };
}

/** A bucket may be slow to list its files. */
const LISTING_TIMEOUT_MS = 3000;
const MAX_BACKUPS_SHOWN = 60;

async function backupsPage(visit: Visit): Promise<AdminPage> {
  const { platen } = visit;
  const times = timesFor({ timeZone: "UTC" }, platen.now());
  const backup = backupSchedule(platen);
  const last = readLastBackup(platen.config.data);
  const failures = [...folderStatus(platen), ...backupStatus(platen)].filter((line) =>
    / failed: |^copies: /.test(line),
  );
  const main = html`${parentLink("/admin/about", "About")}
<div class="page-head"><h1>Backups</h1></div>
<section><h2>Status</h2>
${valueTable("Status", [
  ["Last backup", last ? html`${times.near(last.at)}, ${last.place}` : "None yet"],
  ...failures.map(splitStateLine),
  ...databaseCopies(platen, times),
])}
${postForm(visit, "actions", "/admin/backups")}
${backup && html`<button class="quiet" name="do" value="backup">Back up now</button>`}
<button class="quiet" name="do" value="snapshot">Create snapshot</button>
</form>
</section>
<section><h2>Automatic backups</h2>
${platen.config.backup ? environmentSchedule(platen.config.backup) : scheduleForm(visit)}
</section>
${await storedBackups(platen)}
<section><h2>Copy and restore</h2>
<p>You can copy the data folder at any time, even while the server runs. The copy has every change saved before you started. Or run this command on the server:</p>
<pre tabindex="0"><code>platen backup DEST --data ${platen.config.data}</code></pre>
<p>To restore a backup, run <code>platen restore SOURCE --data NEW_FOLDER</code>, stop the server, and start it with the new folder. To repair a damaged database, stop the server and run <code>platen recover --data ${platen.config.data}</code>. Backups contain secrets: keep them private.</p>
</section>`;
  return { title: "Backups", place: "backups", head: aboutHead, main };
}

function environmentSchedule({ to, every, keep }: BackupSchedule): Html {
  return environmentSettings("Automatic backups", [
    ["PLATEN_BACKUP", to],
    ["PLATEN_BACKUP_EVERY", durationText(every)],
    ["PLATEN_BACKUP_KEEP", keep],
  ]);
}

const INTERVALS = { "6h": "Every 6 hours", "12h": "Every 12 hours", "1d": "Every day", "7d": "Every week" };
const UNSET = { to: "", every: "1d", keep: "7d,4w,12m" };

function scheduleForm(visit: Visit): Html {
  const stored = backupSchedule(visit.platen);
  const { to, every, keep } = stored ? { ...stored, every: durationText(stored.every) } : UNSET;
  const form = formState(visit, { to, every, keep });
  const intervals = every in INTERVALS ? INTERVALS : { [every]: every, ...INTERVALS };
  return html`${postForm(visit, "", "/admin/backups")}
${inputField(form, "to", "Destination", {
  hint: `A folder on another disk, such as /mnt/usb/platen, or s3://bucket/prefix${hasBucketKeys() ? "" : " (needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the server's environment)"}. Leave empty to turn backups off.`,
  more: html`maxlength="1000" ${NO_CORRECTIONS}`,
})}
${selectField(form, "every", "Schedule", intervals)}
${inputField(form, "keep", "Keep", {
  hint: "7d,4w,12m keeps a backup of each of the last 7 days, 4 weeks and 12 months.",
  more: html`maxlength="100" ${NO_CORRECTIONS}`,
})}
${passwordAgainField(visit, "to change backups")}
<div class="actions"><button class="primary" name="do" value="save">Save</button></div>
<p class="hint">Saving also makes a backup now, so you can see whether backups work.</p>
</form>`;
}

function hasBucketKeys(): boolean {
  return ["AWS_ACCESS_KEY_ID", "S3_ACCESS_KEY_ID"].some((name) => process.env[name]);
}

function databaseCopies({ config: { data } }: Platen, times: Times): [string, Html | string][] {
  const about = (path: string) => {
    const { mtime, size } = statSync(path);
    return html`${times.near(mtime)}, ${byteWords(size)}`;
  };
  const hasSnapshot = statSync(snapshotFile(data), { throwIfNoEntry: false }) !== undefined;
  const migrationCopies = readdirSync(data).filter(isCopyBeforeMigration).sort().reverse();
  return [
    [
      "Snapshot (snapshot.db)",
      hasSnapshot ? about(snapshotFile(data)) : "No snapshot yet. The server makes one every night.",
    ],
    ...migrationCopies.map((name): [string, Html] => [
      `Before an upgrade (${name})`,
      about(join(data, name)),
    ]),
  ];
}

async function storedBackups(platen: Platen): Promise<Html | null> {
  const backup = backupSchedule(platen);
  if (!backup) return null;
  const backups = await Promise.race([
    openBackupStore(backup.to, platen.config.data)
      .names()
      .catch((error: Error) => error.message),
    Bun.sleep(LISTING_TIMEOUT_MS).then(() => "The backup store did not respond in time."),
  ]);
  if (typeof backups === "string")
    return html`<section><h2>Backups in ${backup.to}</h2><p class="fault">${backups}</p></section>`;
  return html`<section><h2>Backups in ${backup.to}</h2>
${
  backups.length === 0
    ? html`<p>None yet.</p>`
    : html`<ul>${backups
        .slice(-MAX_BACKUPS_SHOWN)
        .reverse()
        .map((name) => html`<li><code>${name}</code></li>`)}</ul>`
}
<p class="hint">Each backup is named after its start time (UTC). Retention: ${backup.keep}.</p></section>`;
}
