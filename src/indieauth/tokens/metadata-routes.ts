import { jsonResponse } from "../../http/responses/response";
import { router } from "../../http/routing/router";
import type { Platen } from "../../platen";
import { appErrorResponse, preflight, sendToApp } from "../clients/app-responses";
import { ALL_SCOPES } from "./scopes";

const AT = "/.well-known/oauth-authorization-server";

/** Must equal `iss` in redirects, because apps compare them (RFC 9207). */
export function issuerOf({ config }: Platen): string {
  return `${config.url}/`;
}

/** Server metadata (IndieAuth 4.1.1, RFC 8414). */
export const metadata = (platen: Platen) =>
  router(platen, "indieauth metadata", appErrorResponse)
    .get(AT, ({ call }) => sendToApp(call, jsonResponse(200, metadataOf(platen))))
    .options(AT, preflight);

function metadataOf(platen: Platen) {
  const { url } = platen.config;
  return {
    issuer: issuerOf(platen),
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/auth/token`,
    introspection_endpoint: `${url}/auth/introspect`,
    revocation_endpoint: `${url}/auth/revoke`,
    revocation_endpoint_auth_methods_supported: ["none"],
    userinfo_endpoint: `${url}/auth/userinfo`,
    scopes_supported: ALL_SCOPES,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}
