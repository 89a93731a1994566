import { sql } from "drizzle-orm";
import { baseHost } from "../blogs/blog-names";
import { PROOF, proofOf } from "../blogs/domain-check";
import { blogAtHost } from "../blogs/finding-blogs";
import { MAX_LENGTHS } from "../config/request-limits";
import { isDatabaseWritable } from "../database/disk-errors";
import { forbidden, unauthorized } from "../errors";
import type { Call } from "../http/requests/call";
import { clientAddress, isFromThisMachine, requestBase } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";
import { CACHE_CONTROL } from "../http/responses/cache-headers";
import { textErrorResponse } from "../http/responses/error-responses";
import { jsonResponse, sendResponse, textResponse } from "../http/responses/response";
import { router } from "../http/routing/router";
import type { Platen } from "../platen";
import { isEqualSecret } from "../secrets";
import { backupStatus } from "../upkeep/backup/scheduled-backups";
import { PROXY_ECHO_PATH } from "../upkeep/doctor/address-findings";
import { folderStatus } from "../upkeep/folder-status";
import { purgeStatus } from "../upkeep/purging/cdn-purges";
import { getDamage } from "../upkeep/recovery/damaged-database";
import { metricsText } from "./metrics";

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

/** Returns the base URL and client address of the request. `platen doctor` checks the proxy with it. */
export const proxyEcho = (platen: Platen) =>
  router(platen, "request way", textErrorResponse).get(PROXY_ECHO_PATH, ({ call }) => {
    const { protocol, host } = requestBase(call);
    const way = { base: `${protocol}//${host}`, client: clientAddress(call) };
    return sendResponse(call, jsonResponse(200, way, { "cache-control": CACHE_CONTROL.noStore }));
  });

/** Answers Caddy's `on_demand_tls` question (`?domain=`): 200 if the domain belongs to a blog, else 404. */
export const knownDomain = (platen: Platen) =>
  router(platen, "known domain", textErrorResponse).get("/.well-known/platen-domain", ({ call }) => {
    const asked = call.url.searchParams.get("domain")?.toLowerCase() ?? "";
    // The database is not queried for overlong names.
    const isOurs =
      asked.length <= MAX_LENGTHS.host &&
      (asked === baseHost(platen) || blogAtHost(platen, asked) !== undefined);
    const says = isOurs ? "known" : "No blog here has this domain.";
    return sendResponse(
      call,
      textResponse(isOurs ? 200 : 404, says, { "cache-control": CACHE_CONTROL.noStore }),
    );
  });

/** Proves that a domain points to this server. Accepts any Host header. */
export const domainProof = (platen: Platen) =>
  router(platen, "domain proof", textErrorResponse).get(`${PROOF}:question`, ({ call }) => {
    const proof = proofOf(platen, call.url.pathname.slice(PROOF.length));
    const answer = textResponse(proof ? 200 : 404, proof ?? "No such question.", {
      "cache-control": CACHE_CONTROL.noStore,
    });
    return sendResponse(call, answer);
  });

/** `/metrics` for this machine, or for anybody with PLATEN_METRICS_TOKEN as bearer token. */
export const metrics = (platen: Platen) =>
  router(platen, "metrics", textErrorResponse).get("/metrics", ({ call }) => {
    assertMonitor(call);
    return sendResponse(
      call,
      textResponse(200, metricsText(platen).trimEnd(), {
        "content-type": "text/plain; version=0.0.4; charset=utf-8",
        "cache-control": CACHE_CONTROL.noStore,
      }),
    );
  });

/** @throws Refusal: unauthorized, forbidden */
function assertMonitor(call: Call): void {
  const { metricsToken } = call.platen.config;
  const presented = readHeader(call.request, "authorization");
  if (presented !== null && metricsToken !== null && isEqualSecret(presented, `Bearer ${metricsToken}`))
    return;
  if (presented !== null) throw unauthorized("This is not the token of PLATEN_METRICS_TOKEN.");
  if (!isFromThisMachine(call))
    throw forbidden("Metrics need the token of PLATEN_METRICS_TOKEN, except from this machine.");
}
