import { Elysia } from "elysia";
import { type AppKey, renewAppKey, revokePresented } from "../../accounts/app-keys";
import { type Exchange, exchangeForIdentity, exchangeForKey } from "../../accounts/authorization-codes";
import { callerWith } from "../../accounts/keys";
import { malformed } from "../../errors";
import { refusalOf } from "../../http/answers/error-answers";
import { readForm } from "../../http/forms/form-body";
import { calls } from "../../http/requests/call";
import type { Platen } from "../../platen";
import {
  invalidGrant,
  preflight,
  tell,
  tellNothing,
  tellRefusal,
  unsupportedGrant,
} from "../clients/client-answers";
import { clientIdOf, redirectUriOf } from "../clients/client-id";
import { identityBehind, identityOf } from "./identity";

/** Codes become keys here, and keys are renewed and given up (IndieAuth 5.3, 5.5, 7). */
export const tokens = (platen: Platen) =>
  new Elysia({ name: "tokens" })
    .use(calls(platen))
    .onError((caught) => tellRefusal(refusalOf(caught)))
    .post("/auth", async ({ request }) => exchangeProfile(platen, await readForm(request)), { parse: "none" })
    .post("/auth/token", async ({ request }) => answerTokenRequest(platen, await readForm(request)), {
      parse: "none",
    })
    .post("/auth/revoke", async ({ request }) => revoke(platen, await readForm(request)), { parse: "none" })
    .options("/auth", preflight)
    .options("/auth/token", preflight)
    .options("/auth/revoke", preflight);

function exchangeProfile(platen: Platen, form: URLSearchParams): Response {
  if ((form.get("grant_type") ?? "authorization_code") !== "authorization_code")
    throw unsupportedGrant("This endpoint exchanges codes only.");
  const grant = exchangeForIdentity(platen, exchangeIn(form));
  if ("refused" in grant) throw invalidGrant(grant.refused);
  return tell(identityOf(platen, grant));
}

function answerTokenRequest(platen: Platen, form: URLSearchParams): Response {
  // Older apps give a token up here.
  if (form.get("action") === "revoke") return revoke(platen, form);
  const grantType = field(form, "grant_type");
  if (grantType === "authorization_code") return exchangeCode(platen, form);
  if (grantType === "refresh_token") return renew(platen, form);
  throw unsupportedGrant('grant_type must be "authorization_code" or "refresh_token".');
}

function exchangeCode(platen: Platen, form: URLSearchParams): Response {
  const outcome = exchangeForKey(platen, exchangeIn(form));
  if ("refused" in outcome) throw invalidGrant(outcome.refused);
  return tell({ ...tokenBody(outcome.appKey), ...identityOf(platen, outcome.grant) });
}

function renew(platen: Platen, form: URLSearchParams): Response {
  const clientId = clientIdOf(field(form, "client_id"));
  const scopes = form.get("scope")?.split(/\s+/).filter(Boolean) ?? null;
  const outcome = renewAppKey(platen, field(form, "refresh_token"), clientId, scopes);
  if ("refused" in outcome) throw invalidGrant(outcome.refused);
  const caller = callerWith(platen, outcome.accessToken);
  return tell({ ...tokenBody(outcome), ...(caller && identityBehind(platen, caller)) });
}

/** Known or not, it is revoked then: a client has nothing to learn from it (RFC 7009 2.2). */
function revoke(platen: Platen, form: URLSearchParams): Response {
  revokePresented(platen, form.get("token") ?? "");
  return tellNothing();
}

function tokenBody({ accessToken, refreshToken, scopes }: AppKey) {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    scope: scopes.join(" "),
    refresh_token: refreshToken,
  };
}

function exchangeIn(form: URLSearchParams): Exchange {
  return {
    code: field(form, "code"),
    clientId: clientIdOf(field(form, "client_id")),
    redirectUri: redirectUriOf(field(form, "redirect_uri")).href,
    verifier: field(form, "code_verifier"),
  };
}

/** @throws Refusal (malformed) */
function field(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw malformed(`${name} is missing.`, { [name]: ["is missing"] });
  return value;
}
