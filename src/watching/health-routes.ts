import { sql } from "drizzle-orm";
import { isWritable } from "../database/disk-faults";
import type { Call } from "../http/requests/call";
import { CACHE_CONTROL } from "../http/responses/cache-control";
import { textErrorResponse } from "../http/responses/error-responses";
import { textResponse } from "../http/responses/response";
import { sendResponse } from "../http/responses/sending";
import { router } from "../http/routing/router";
import type { Platen } from "../platen";
import { backupState } from "../upkeep/backup/scheduled-backups";
import { foundDamage } from "../upkeep/copies/damaged-database";
import { folderState } from "../upkeep/copies/folder-state";
import { purgeState } from "../upkeep/purging/page-purges";

/** For supervisors and proxies: `/livez` says the process answers, `/readyz` that its database does too; `?full` tells of the folder. */
export const health = (platen: Platen) =>
  router(platen, "health", textErrorResponse)
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
  sendResponse(call, textResponse(status, state, { "cache-control": CACHE_CONTROL.nowhere }));
