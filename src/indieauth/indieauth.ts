import { Elysia } from "elysia";
import { malformed } from "../errors";
import { oauthErrorResponse } from "../http/responses/error-responses";
import { methodNotAllowed, router } from "../http/router";
import { guardedClient } from "../outgoing/guarded-client";
import type { HttpClient } from "../outgoing/http-client";
import { newPasswordRoutes } from "../owner/new-password-routes";
import { signInRoutes } from "../owner/sign-in-routes";
import type { Platen } from "../platen";
import { authorization } from "./authorization-routes";
import { appErrorResponse, tokens } from "./token-routes";

/** Sign-in to apps with the blog's URL (IndieAuth 2024-07-11). Apps get ordinary API keys. */
export function indieauth(platen: Platen, web: HttpClient = guardedClient(platen.config)) {
  const served = new Elysia().use(authorization(platen, web)).use(tokens(platen));
  return new Elysia({ name: "indieauth" }).use(served).use(elsewhere(platen, served));
}

/** Rejects unknown paths below /auth. The sign-in pages of `owner` count as known. */
function elsewhere(platen: Platen, served: Pick<Elysia, "routes">) {
  const known = {
    routes: [...served.routes, ...signInRoutes(platen).routes, ...newPasswordRoutes(platen).routes],
  };
  return router(platen, "elsewhere below /auth", appErrorResponse).use(
    methodNotAllowed(platen, known, "/auth", {
      address:
        "address here: the sign-in page is /auth/sign-in, and the endpoints for apps are listed at /.well-known/oauth-authorization-server",
      refusal: (message) => oauthErrorResponse(malformed(message)),
    }),
  );
}
