import { sql } from "drizzle-orm";
import { isDatabaseWritable } from "../database/disk-errors";
import type { Call } from "../http/requests/call";
import { textErrorResponse } from "../http/responses/error-responses";
import { CACHE_CONTROL, sendResponse, textResponse } from "../http/responses/response";
import { router } from "../http/routing/router";
import type { Platen } from "../platen";
import { backupStatus } from "../upkeep/backup/scheduled-backups";
import { folderStatus } from "../upkeep/folder-status";
import { purgeStatus } from "../upkeep/purging/cdn-purges";
import { getDamage } from "../upkeep/recovery/damaged-database";

/** `/livez`: the process responds. `/readyz`: the database responds too. `?full` adds the folder's status. */
export const health = (platen: Platen) =>
  router(platen, "health", textErrorResponse)
    .get("/livez", ({ call }) => sendState(call, 200, "alive"))
    .get("/readyz", ({ call }) => sendState(call, ...readiness(call)));

type State = [status: number, state: string];

function readiness({ platen, url }: Call): State {
  try {
    platen.db.run(sql`SELECT 1`);
    if (getDamage(platen) !== null)
      return [503, "The database is damaged and read-only; type: platen recover"];
    if (!isDatabaseWritable(platen))
      return [503, "Nothing can be written: the disk is broken or read-only; type: platen doctor"];
    const more = url.searchParams.has("full")
      ? [...folderStatus(platen), ...backupStatus(platen), ...purgeStatus(platen)]
      : [];
    return [200, ["ready", ...more].join("\n")];
  } catch {
    return [503, "The database does not respond."];
  }
}

const sendState = (call: Call, status: number, state: string) =>
  sendResponse(call, textResponse(status, state, { "cache-control": CACHE_CONTROL.noStore }));
