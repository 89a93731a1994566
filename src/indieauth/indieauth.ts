import { Elysia } from "elysia";
import { malformed } from "../errors";
import { oauthRefusal } from "../http/oauth-errors";
import { signIn } from "../http/sign-in";
import { unserved } from "../http/unserved";
import type { Outgoing } from "../outgoing/exchanges";
import { outgoing } from "../outgoing/outgoing";
import type { Platen } from "../platen";
import { tellRefusal } from "./app-answers";
import { authorization } from "./authorization";
import { metadata } from "./metadata";
import { tokenChecks } from "./token-checks";
import { tokens } from "./tokens";

/** Signing in to apps with the blog's address (IndieAuth 2024-07-11). What an app gets is a key like any other. */
export function indieauth(platen: Platen, web: Outgoing = outgoing(platen.config)) {
  const served = new Elysia()
    .use(metadata(platen))
    .use(authorization(platen, web))
    .use(tokens(platen))
    .use(tokenChecks(platen));
  return new Elysia({ name: "indieauth" }).use(served).use(elsewhere(platen, served));
}

/** The sign-in pages are served below the same path. */
function elsewhere(platen: Platen, served: Pick<Elysia, "routes">) {
  const known = { routes: [...served.routes, ...signIn(platen).routes] };
  return new Elysia()
    .onError(({ code, error, request }) => tellRefusal(platen, code, error, request))
    .use(
      unserved(known, "/auth", {
        address:
          "address here: the sign-in page is /auth/sign-in, and what apps need is listed at /.well-known/oauth-authorization-server",
        refusal: (message) => oauthRefusal(malformed(message)),
      }),
    );
}
