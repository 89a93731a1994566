import { Elysia } from "elysia";
import { type KeyOrigin, recordKeyUse } from "../accounts/key-usage";
import { authenticateKey, type Caller } from "../accounts/keys";
import { unauthorized } from "../errors";
import { type Call, calls } from "../http/requests/call";
import { clientAddress } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";
import { networkName, programName } from "../http/requests/user-agent";
import type { Platen } from "../platen";
import { requireScope } from "./scope-checks";
import { scopeRuleOfRoute } from "./scope-table";

/**
 * Gives the routes of the instance that uses it a `caller`, who may ask what the route is for by the scope table. Before
 * any schema is looked at: 401 and 403 come before 422.
 */
export const authorized = (platen: Platen) =>
  new Elysia({ name: "authorized" })
    .use(calls(platen))
    .derive({ as: "scoped" }, ({ call, route }) => ({ caller: callerAt(call, route) }));

/** A request with a body is authenticated before the body is read, and asked for its caller again after. */
const callers = new WeakMap<Call, Caller>();

/** @throws Refusal: unauthorized, unscoped */
export function callerAt(call: Call, route: string): Caller {
  const known = callers.get(call);
  if (known) return known;
  const caller = callerOf(call);
  requireScope(caller, scopeRuleOfRoute(call.request.method, route));
  callers.set(call, caller);
  return caller;
}

/** @throws Refusal (unauthorized) */
export function callerOf(call: Call): Caller {
  const key = bearerToken(call.request);
  if (key === null)
    throw unauthorized('An API key is missing: send the header "Authorization: Bearer <API key>".');
  return authenticateCall(call, key);
}

/** The key in the Authorization header, valid or not; null where there is none. */
export function bearerToken(request: Request): string | null {
  const [scheme, key, ...rest] = (readHeader(request, "authorization") ?? "").trim().split(/\s+/);
  return scheme?.toLowerCase() === "bearer" && key && rest.length === 0 ? key : null;
}

/** @throws Refusal (unauthorized) */
export function authenticateCall(call: Call, key: string): Caller {
  const caller = authenticateKey(call.platen, key);
  if (!caller) throw unauthorized("This API key is not valid: it is unknown, revoked or expired.");
  recordKeyUse(call.platen, caller.key.id, () => originOf(call));
  return caller;
}

/** Roughly where the call is from, and by which program; nothing where its headers are too long to be read. */
export function originOf(call: Call): KeyOrigin {
  try {
    return {
      from: networkName(clientAddress(call)),
      by: programName(readHeader(call.request, "user-agent") ?? ""),
    };
  } catch {
    return { from: "", by: "" };
  }
}
