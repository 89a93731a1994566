import { statSync } from "node:fs";
import { join } from "node:path";
import { durationText } from "../config/units";
import { listUnfinishedJobs, startJobOnce } from "../jobs/jobs";
import { mailPerHour, relayUrl } from "../mail/relay-settings";
import type { Platen } from "../platen";
import { freeDiskBytes, totalDiskBytes } from "../runtime/disk-space";
import { capitalize } from "../text/clean-text";
import { type Html, html } from "../text/html";
import { byteWords } from "../text/numbers";
import { backupStatus } from "../upkeep/backup/backup-schedule";
import { purgeStatus } from "../upkeep/cdn-purges";
import { folderStatus } from "../upkeep/folder-status";
import { getDamage } from "../upkeep/recovery/damaged-database";
import { checkJob, sizesJob } from "../upkeep/upkeep-jobs";
import { version } from "../version";
import { aboutHead } from "./layout/admin-styles";
import { postForm } from "./layout/page-controls";
import { type AdminPage, serverRoutes, withForm } from "./layout/routing";
import { type AdminForm, actionNamed, type Visit } from "./layout/visit";

const JOBS = { check: checkJob, sizes: sizesJob };

export const aboutRoutes = serverRoutes({
  "GET /about": aboutPage,
  "POST /about": withForm(startServerJob),
});

function startServerJob({ platen, account }: Visit, form: AdminForm) {
  const job = actionNamed(JOBS, form.get("do"));
  const id = startJobOnce(platen, job, { blog: null, account, input: {} });
  return { location: `/admin/jobs/${id}` };
}

function aboutPage(visit: Visit): AdminPage {
  const { platen } = visit;
  const main = html`<div class="page-head"><h1>About</h1></div>
<section><h2>This server</h2>
${valueTable("This server", [["Platen", version], ["Bun", Bun.version], ...diskUse(platen), ...serverState(platen)])}
${postForm(visit, "actions", "/admin/about")}
<button class="primary" name="do" value="check">Run a check</button>
<button class="quiet" name="do" value="sizes">Create missing picture sizes</button>
<a class="button quiet" href="/admin/backups">Backups</a>
<a class="button quiet" href="/admin/mail">Mail</a>
</form>
<p class="hint">The check reads the whole database and every file in the background, and reports what is wrong.</p>
</section>
<section><h2>Jobs</h2>
${jobSummary(platen)}
</section>
<section><h2>Settings</h2>
<p class="hint">The server reads its settings at startup, from the environment or the flags of <code>platen serve</code>.</p>
${valueTable("Settings", settingRows(platen, process.env))}
</section>`;
  return { title: "About", place: "about", head: aboutHead, main };
}

export function valueTable(caption: string, rows: [name: string, value: string | Html][]): Html {
  return html`<table class="values"><caption class="spoken">${caption}</caption>
<tbody>
${rows.map(([name, value]) => html`<tr><th scope="row">${breakable(name)}</th><td>${value}</td></tr>`)}
</tbody></table>`;
}

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

const STATE_LABELS: Record<string, string> = { wal: "WAL", copies: "Copies of the data folder" };

export function splitStateLine(line: string): [name: string, message: string] {
  const [name = "", ...value] = line.split(": ");
  return [STATE_LABELS[name] ?? capitalize(name), value.join(": ")];
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

/** Must not show the values of secrets. */
function settingRows(platen: Platen, environment: NodeJS.ProcessEnv): [name: string, value: string][] {
  const { config } = platen;
  const { backup } = config;
  const none = "–";
  const secret = (...names: string[]) => (names.some((name) => environment[name]) ? "set (hidden)" : none);
  return [
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
    ["PLATEN_BACKUP", backup?.to ?? none],
    ["PLATEN_BACKUP_EVERY", backup ? durationText(backup.every) : none],
    ["PLATEN_BACKUP_KEEP", backup?.keep ?? none],
    ["PLATEN_LOG", config.log],
    ["PLATEN_METRICS_TOKEN", secret("PLATEN_METRICS_TOKEN")],
    ["PLATEN_PURGE_URL", config.purge?.url.replace(/\?.*/s, "?…") ?? none],
    ["PLATEN_PURGE_HEADER", secret("PLATEN_PURGE_HEADER")],
    ["PLATEN_SMTP_URL", config.relay ? relayUrl(config.relay) : none],
    ["PLATEN_SMTP_PASSWORD_FILE", environment.PLATEN_SMTP_PASSWORD_FILE ?? none],
    ["PLATEN_SMTP_CA_FILE", environment.PLATEN_SMTP_CA_FILE ?? none],
    ["PLATEN_MAIL_FROM", config.relay?.from ?? none],
    ["PLATEN_MAIL_PER_HOUR", String(mailPerHour(platen))],
    ["PLATEN_NEWSLETTER_DELAY", durationText(config.newsletterDelay)],
    ["AWS_ACCESS_KEY_ID", secret("AWS_ACCESS_KEY_ID", "S3_ACCESS_KEY_ID")],
    ["AWS_SECRET_ACCESS_KEY", secret("AWS_SECRET_ACCESS_KEY", "S3_SECRET_ACCESS_KEY")],
  ];
}

export function environmentSettings(caption: string, rows: [name: string, value: string][]): Html {
  return html`<p class="hint">Set by environment variables, which take precedence over this page.</p>
${valueTable(caption, rows)}`;
}
