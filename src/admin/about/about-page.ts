import { statSync } from "node:fs";
import { join } from "node:path";
import { listUnfinishedJobs } from "../../jobs/jobs";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { freeDiskBytes, totalDiskBytes } from "../../runtime/disk-space";
import { type Html, html } from "../../text/html";
import { backupStatus } from "../../upkeep/backup/scheduled-backups";
import { folderStatus } from "../../upkeep/folder-status";
import { purgeStatus } from "../../upkeep/purging/cdn-purges";
import { getDamage } from "../../upkeep/recovery/damaged-database";
import { version } from "../../version";
import type { Visit } from "../layout/visit";
import { byteWords } from "../words/byte-words";
import { settingsWords } from "./settings-words";

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

export function valueTable(caption: string, rows: [name: string, value: string | Html][]): Html {
  return html`<table class="values"><caption class="spoken">${caption}</caption>
<tbody>
${rows.map(([name, value]) => html`<tr><th scope="row">${breakable(name)}</th><td>${value}</td></tr>`)}
</tbody></table>`;
}

/** Lets long names such as PLATEN_WEBHOOK_TIMEOUT wrap on a phone. */
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
export function splitStateLine(line: string): [name: string, says: string] {
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
