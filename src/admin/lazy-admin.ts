import { Elysia } from "elysia";
import { assetRoute, lazyHandler, UNREAD } from "../http/router";
import { scriptRoutes } from "../owner/scripts/script-routes";
import type { Platen } from "../platen";
import { STYLES } from "./layout/admin-styles";

export const lazyAdmin = (platen: Platen) => {
  const respond = lazyHandler(platen, async () => (await import("./admin")).admin);
  return new Elysia({ name: "lazy admin" })
    .use(STYLES.map((styles) => assetRoute(platen, styles)))
    .use(scriptRoutes(platen))
    .all("/admin", respond, UNREAD)
    .all("/admin/*", respond, UNREAD)
    .get("/setup", respond)
    .get("/setup/demo", respond)
    .post("/setup", respond, UNREAD)
    .get("/auth/join/:invitation", respond)
    .post("/auth/join/:invitation", respond, UNREAD);
};
