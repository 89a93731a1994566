import { admin } from "../../src/admin/admin";
import { api } from "../../src/api/api";
import { platenApp } from "../../src/app";
import { indieauth } from "../../src/indieauth/indieauth";
import { micropub } from "../../src/micropub/micropub-routes";
import type { Platen } from "../../src/platen";

/** Routes of the app and of the adapters that it loads on their first request. */
export function allRoutes(platen: Platen): { method: string; path: string }[] {
  return [platenApp, admin, api, micropub, indieauth].flatMap((adapter) => adapter(platen).routes);
}
