import { Elysia } from "elysia";
import { securityHeaders } from "../http/responses/html-responses";
import { assetRoute } from "../http/routing/router";
import { scriptRoutes } from "../owner/scripts/script-routes";
import type { Platen } from "../platen";
import { STYLES } from "./layout/admin-styles";

const UNREAD = { parse: "none" } as const;

/** Loads the admin on the first request, because its code and routes would slow down startup. */
export const lazyAdmin = (platen: Platen) => {
  let admin: ReturnType<typeof openAdmin> | undefined;
  const respond = async ({ request }: { request: Request }) => {
    admin ??= openAdmin(platen);
    return await (await admin)(request);
  };
  return new Elysia({ name: "admin when asked" })
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

async function openAdmin(platen: Platen): Promise<(request: Request) => Response | Promise<Response>> {
  const { admin } = await import("./admin");
  return new Elysia({ handler: { standardHostname: false } })
    .use(securityHeaders(platen))
    .use(admin(platen))
    .compile().fetch;
}
