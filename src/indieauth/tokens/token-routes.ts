import { type AppKey, renewAppKey, revokeToken } from "../../accounts/app-keys";
import { type Exchange, exchangeForIdentity, exchangeForKey } from "../../accounts/authorization-codes";
import { authenticateKey } from "../../accounts/keys";
import { MAX_LENGTHS } from "../../config/request-limits";
import { malformedField } from "../../errors";
import { readForm, type SentForm } from "../../http/forms/form-body";
import type { Call } from "../../http/requests/call";
import { emptyResponse, type HttpResponse, jsonResponse } from "../../http/responses/response";
import { router } from "../../http/routing/router";
import type { Platen } from "../../platen";
import {
  appErrorResponse,
  invalidGrant,
  preflight,
  sendToApp,
  unsupportedGrant,
} from "../clients/app-responses";
import { parseClientId, parseRedirectUri } from "../clients/client-id";
import { recordSignInStep } from "../clients/sign-in-log";
import { identityBehind, identityOf } from "./identity";

/** Maximum lengths of the form fields, in characters. */
const FORM = {
  action: MAX_LENGTHS.token,
  client_id: MAX_LENGTHS.webAddress,
  code: MAX_LENGTHS.token,
  code_verifier: MAX_LENGTHS.codeVerifier,
  grant_type: MAX_LENGTHS.token,
  redirect_uri: MAX_LENGTHS.webAddress,
  refresh_token: MAX_LENGTHS.token,
  scope: MAX_LENGTHS.scope,
  token: MAX_LENGTHS.token,
};
type Form = SentForm<keyof typeof FORM>;

/** The token endpoint: exchanges codes, and renews and revokes keys (IndieAuth 5.3, 5.5, 7). */
export const tokens = (platen: Platen) =>
  router(platen, "tokens", appErrorResponse)
    .post("/auth", exchangeHandler(exchangeProfile, "It knows your identity."), { parse: "none" })
    .post("/auth/token", exchangeHandler(answerTokenRequest, "It has its key."), { parse: "none" })
    .post(
      "/auth/revoke",
      async ({ call }) => sendToApp(call, revoke(platen, await readForm(call.request, FORM))),
      {
        parse: "none",
      },
    )
    .options("/auth", preflight)
    .options("/auth/token", preflight)
    .options("/auth/revoke", preflight);

/**
 * Logs each exchange for the owner, except revocations by older apps.
 * @param outcome the entry after a success
 */
function exchangeHandler(exchange: (platen: Platen, form: Form) => HttpResponse, outcome: string) {
  return async ({ call }: { call: Call }) => {
    const form = await readForm(call.request, FORM);
    const step = { clientId: form.get("client_id"), asked: "finish signing in", accountId: null };
    const answer = recordSignInStep(
      call.platen,
      step,
      () => exchange(call.platen, form),
      () => (form.get("action") === "revoke" ? null : outcome),
    );
    return sendToApp(call, await answer);
  };
}

function exchangeProfile(platen: Platen, form: Form): HttpResponse {
  if ((form.get("grant_type") ?? "authorization_code") !== "authorization_code")
    throw unsupportedGrant("This endpoint exchanges codes only.");
  const grant = exchangeForIdentity(platen, exchangeIn(form));
  if ("refused" in grant) throw invalidGrant(grant.refused);
  return jsonResponse(200, identityOf(platen, grant));
}

function answerTokenRequest(platen: Platen, form: Form): HttpResponse {
  // Older apps revoke tokens here.
  if (form.get("action") === "revoke") return revoke(platen, form);
  const grantType = field(form, "grant_type");
  if (grantType === "authorization_code") return exchangeCode(platen, form);
  if (grantType === "refresh_token") return renew(platen, form);
  throw unsupportedGrant('grant_type must be "authorization_code" or "refresh_token".');
}

function exchangeCode(platen: Platen, form: Form): HttpResponse {
  const outcome = exchangeForKey(platen, exchangeIn(form));
  if ("refused" in outcome) throw invalidGrant(outcome.refused);
  return jsonResponse(200, { ...tokenBody(outcome.appKey), ...identityOf(platen, outcome.grant) });
}

function renew(platen: Platen, form: Form): HttpResponse {
  const clientId = parseClientId(field(form, "client_id"));
  const scopes = form.get("scope")?.split(/\s+/).filter(Boolean) ?? null;
  const outcome = renewAppKey(platen, field(form, "refresh_token"), clientId, scopes);
  if ("refused" in outcome) throw invalidGrant(outcome.refused);
  const caller = authenticateKey(platen, outcome.accessToken);
  return jsonResponse(200, { ...tokenBody(outcome), ...(caller && identityBehind(platen, caller)) });
}

/** Returns 200 even for an unknown token (RFC 7009 2.2). */
function revoke(platen: Platen, form: Form): HttpResponse {
  revokeToken(platen, form.get("token") ?? "");
  return { ...emptyResponse(), status: 200 };
}

function tokenBody({ accessToken, refreshToken, scopes }: AppKey) {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    scope: scopes.join(" "),
    refresh_token: refreshToken,
  };
}

function exchangeIn(form: Form): Exchange {
  return {
    code: field(form, "code"),
    clientId: parseClientId(field(form, "client_id")),
    redirectUri: parseRedirectUri(field(form, "redirect_uri")).href,
    verifier: field(form, "code_verifier"),
  };
}

/** @throws Refusal (malformed) */
function field(form: Form, name: keyof typeof FORM): string {
  const value = form.get(name);
  if (!value) throw malformedField(name, "is missing");
  return value;
}
