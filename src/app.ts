import { Elysia } from "elysia";
import { lazyAdmin } from "./admin/lazy-admin";
import { addMissingHost, requireSingleHost, type Sockets, setSockets } from "./http/requests/call";
import { disableResponseCache, serveFromCache } from "./http/response-cache";
import { lazyRoutes, securityHeaders } from "./http/router";
import { monitoring } from "./monitoring-routes";
import { newPasswordRoutes } from "./owner/new-password-routes";
import { signInRoutes } from "./owner/sign-in-routes";
import type { Platen } from "./platen";
import { mediaRoutes } from "./site/serving/media-routes";
import { site } from "./site/serving/site";
import type { writeStaticSite } from "./site/static/static-site";

export function platenApp(platen: Platen, sockets?: Sockets) {
  if (sockets) setSockets(platen, sockets);
  // With Elysia's default, URLs with a host of fewer than four letters, such as "pi", are parsed wrongly.
  return new Elysia({ handler: { standardHostname: false } })
    .wrap(addMissingHost)
    .wrap(serveFromCache(platen))
    .wrap(requireSingleHost)
    .use(securityHeaders(platen))
    .use(monitoring(platen))
    .use(lazyRoutes(platen, ["/api", "/api/*"], async () => (await import("./api/api")).api))
    .use(
      lazyRoutes(
        platen,
        ["/micropub", "/micropub/*"],
        async () => (await import("./micropub/micropub-routes")).micropub,
      ),
    )
    .use(mediaRoutes(platen))
    .use(signInRoutes(platen))
    .use(newPasswordRoutes(platen))
    .use(lazyAdmin(platen))
    .use(
      lazyRoutes(
        platen,
        ["/auth", "/auth/*", "/.well-known/oauth-authorization-server"],
        async () => (await import("./indieauth/indieauth")).indieauth,
      ),
    )
    .use(site(platen));
}

export async function exportStaticSite(context: Parameters<typeof writeStaticSite>[0]): Promise<void> {
  const { writeStaticSite } = await import("./site/static/static-site");
  disableResponseCache(context.platen);
  const app = platenApp(context.platen);
  await writeStaticSite(context, async (request) => await app.handle(request));
}
