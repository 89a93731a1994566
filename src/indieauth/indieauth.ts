import { Elysia } from "elysia";
import type { Outgoing } from "../outgoing/exchanges";
import { outgoing } from "../outgoing/outgoing";
import type { Platen } from "../platen";
import { authorization } from "./authorization";
import { metadata } from "./metadata";
import { tokenChecks } from "./token-checks";
import { tokens } from "./tokens";

/** Signing in to apps with the blog's address (IndieAuth 2024-07-11). What an app gets is a key like any other. */
export const indieauth = (platen: Platen, web: Outgoing = outgoing(platen.config)) =>
  new Elysia({ name: "indieauth" })
    .use(metadata(platen))
    .use(authorization(platen, web))
    .use(tokens(platen))
    .use(tokenChecks(platen));
