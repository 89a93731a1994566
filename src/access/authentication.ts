import { Elysia } from "elysia";
import { authenticateKey, type Caller, type KeyOrigin, recordKeyUse } from "../accounts/api-keys";
import { MAX_BYTES } from "../config/request-limits";
import { unauthorized } from "../errors";
import { type Call, calls } from "../http/requests/call";
import { clientAddress, networkName } from "../http/requests/client-address";
import { programName, readHeader } from "../http/requests/headers";
import { parseJsonBody, readBody } from "../http/requests/request-body";
import type { Platen } from "../platen";
import { requireScope, scopeRuleOfRoute } from "./scopes";

/** Adds the `caller` and checks its scopes before the schema, so status 401 or 403 precedes 422. */
export const authorized = (platen: Platen) =>
  new Elysia({ name: "authorized" })
    .use(calls(platen))
    .derive({ as: "scoped" }, ({ call, route }) => ({ caller: callerAt(call, route) }));

/**
 * Parses every body as JSON, because `curl -d '{…}'` sends the Content-Type of a form. Elysia parses bodies
 * before it derives the caller, so this parser checks the key. Bodies of rejected requests stay unread.
 */
export async function jsonBody({ call, route }: { call: Call; route: string }): Promise<unknown> {
  callerAt(call, route);
  return parseJsonBody(await readBody(call.request, MAX_BYTES.json));
}

/** `jsonBody` authenticates before the body is read, and `authorized` reuses the caller. */
const callers = new WeakMap<Call, Caller>();

function callerAt(call: Call, route: string): Caller {
  const known = callers.get(call);
  if (known) return known;
  const caller = callerOf(call);
  requireScope(caller, scopeRuleOfRoute(call.request.method, route));
  callers.set(call, caller);
  return caller;
}

export function callerOf(call: Call): Caller {
  const key = bearerToken(call.request);
  if (key === null)
    throw unauthorized('An API key is missing: send the header "Authorization: Bearer <API key>".');
  return authenticateCall(call, key);
}

export function bearerToken(request: Request): string | null {
  const [scheme, key, ...rest] = (readHeader(request, "authorization") ?? "").trim().split(/\s+/);
  return scheme?.toLowerCase() === "bearer" && key && rest.length === 0 ? key : null;
}

export function authenticateCall(call: Call, key: string): Caller {
  const caller = authenticateKey(call.platen, key);
  if (!caller)
    throw unauthorized(
      "This API key is not valid: it is unknown, revoked or expired, or its account is disabled.",
    );
  recordKeyUse(call.platen, caller.key.id, () => originOf(call));
  return caller;
}

export function originOf(call: Call): KeyOrigin {
  try {
    return {
      lastUsedFrom: networkName(clientAddress(call)),
      lastUsedBy: programName(readHeader(call.request, "user-agent") ?? ""),
    };
  } catch {
    return { lastUsedFrom: "", lastUsedBy: "" };
  }
}
