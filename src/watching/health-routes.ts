import { sql } from "drizzle-orm";
import { isWritable } from "../database/disk-faults";
import type { Call } from "../http/requests/call";
import { CACHING } from "../http/responses/cache-control";
import { textRefusal } from "../http/responses/error-responses";
import { textAnswer } from "../http/responses/response";
import { send } from "../http/responses/sending";
import { door } from "../http/routing/router";
import type { Platen } from "../platen";
import { backupState } from "../upkeep/backup/scheduled-backups";
import { foundDamage } from "../upkeep/copies/damaged-database";
import { folderState } from "../upkeep/copies/folder-state";
import { purgeState } from "../upkeep/purging/page-purges";

/** For supervisors and proxies: `/livez` says the process answers, `/readyz` that its database does too; `?full` tells of the folder. */
export const health = (platen: Platen) =>
  door(platen, "health", textRefusal)
    .get("/livez", ({ call }) => sendState(call, 200, "alive"))
    .get("/readyz", ({ call }) => sendState(call, ...readiness(call)));

type State = [status: number, state: string];

function readiness({ platen, url }: Call): State {
  try {
    platen.db.run(sql`SELECT 1`);
    if (foundDamage(platen) !== null)
      return [503, "The database is damaged and only read; type: platen recover"];
    if (!isWritable(platen))
      return [503, "Nothing can be written: the disk is broken or closed to writing; type: platen doctor"];
    const more = url.searchParams.has("full")
      ? [...folderState(platen), ...backupState(platen), ...purgeState(platen)]
      : [];
    return [200, ["ready", ...more].join("\n")];
  } catch {
    return [503, "The database does not answer."];
  }
}

const sendState = (call: Call, status: number, state: string) =>
  send(call, textAnswer(status, state, { "cache-control": CACHING.nowhere }));
