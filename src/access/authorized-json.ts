import { Elysia } from "elysia";
import { MAX_BYTES } from "../config/request-limits";
import { calls } from "../http/requests/call";
import { parseJsonBody } from "../http/requests/json-body";
import { bodyMemory, readBody } from "../http/requests/request-body";
import type { Platen } from "../platen";
import { callerAt } from "./authentication";

/**
 * Parses every body as JSON, whatever its Content-Type: `curl -d '{…}'` sends a form's.
 * Elysia parses bodies before it derives the caller, so this checks the key first. Rejected requests stay
 * unread.
 * @throws Refusal: unauthorized, unscoped, malformed, too large, busy
 */
export const jsonBody = (platen: Platen) =>
  new Elysia({ name: "json body" }).use(calls(platen)).onParse({ as: "scoped" }, ({ call, route }) => {
    const caller = callerAt(call, route);
    return readBody(call.request, MAX_BYTES.json, () => bodyMemory(platen, caller)).then(parseJsonBody);
  });
