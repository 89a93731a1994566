import { bearerToken } from "../../access/authentication";
import { authenticateKey, type Caller } from "../../accounts/keys";
import { MAX_LENGTHS } from "../../config/request-limits";
import { unscoped } from "../../errors";
import { readForm } from "../../http/forms/form-body";
import type { Call } from "../../http/requests/call";
import { jsonResponse } from "../../http/responses/response";
import { router } from "../../http/routing/router";
import type { Platen } from "../../platen";
import { appErrorResponse, invalidToken, preflight, sendToApp } from "../clients/app-responses";
import { identityBehind } from "./identity";

/** Token introspection and userinfo (IndieAuth 6, 9). */
export const tokenChecks = (platen: Platen) =>
  router(platen, "token checks", appErrorResponse)
    .post(
      "/auth/introspect",
      async ({ call }) => {
        requireCaller(call);
        const token = (await readForm(call.request, { token: MAX_LENGTHS.token })).get("token") ?? "";
        return sendToApp(call, jsonResponse(200, introspect(platen, token)));
      },
      { parse: "none" },
    )
    // Older endpoint, for apps and servers without support for introspection.
    .get("/auth/token", ({ call }) => {
      const { me, client_id, scope } = describe(platen, requireCaller(call));
      return sendToApp(call, jsonResponse(200, { me, client_id, scope }));
    })
    .get("/auth/userinfo", ({ call }) => {
      const { profile } = identityBehind(platen, requireCaller(call));
      if (!profile) throw unscoped("This key may not do that: it needs the scope profile.");
      return sendToApp(call, jsonResponse(200, profile));
    })
    .options("/auth/introspect", preflight)
    .options("/auth/userinfo", preflight);

/** @throws Refusal (unauthorized) */
function requireCaller({ platen, request }: Call): Caller {
  const key = bearerToken(request);
  const caller = key === null ? null : authenticateKey(platen, key);
  if (!caller) throw invalidToken('Send a valid key in the header "Authorization: Bearer <key>".');
  return caller;
}

function introspect(platen: Platen, token: string) {
  const caller = authenticateKey(platen, token);
  return caller ? { active: true, ...describe(platen, caller) } : { active: false };
}

function describe(platen: Platen, caller: Caller) {
  const { clientId, scopes, createdAt, expiresAt } = caller.key;
  return {
    me: identityBehind(platen, caller).me,
    client_id: clientId ?? undefined,
    scope: scopes.join(" "),
    iat: seconds(createdAt),
    exp: expiresAt ? seconds(expiresAt) : undefined,
    token_type: "Bearer",
  };
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
