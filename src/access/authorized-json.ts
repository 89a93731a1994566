import { Elysia } from "elysia";
import { MAX_BYTES } from "../config/request-limits";
import { calls } from "../http/requests/call";
import { parseJsonBody } from "../http/requests/json-body";
import { bodyMemory, readBody } from "../http/requests/request-body";
import type { Platen } from "../platen";
import { callerAt } from "./authentication";

/**
 * Bodies are JSON whatever their Content-Type says: `curl -d '{…}'` calls it a form. Elysia reads a body before it
 * derives anything, so the key is checked here too: a request that may not be made is 401 or 403 whatever it carries, its
 * body unread.
 * @throws Refusal: unauthorized, unscoped, malformed, too large, busy
 */
export const jsonBody = (platen: Platen) =>
  new Elysia({ name: "json body" }).use(calls(platen)).onParse({ as: "scoped" }, ({ call, route }) => {
    const caller = callerAt(call, route);
    return readBody(call.request, MAX_BYTES.json, () => bodyMemory(platen, caller)).then(parseJsonBody);
  });
