import { type AnyElysia, Elysia } from "elysia";
import type { Platen } from "../../platen";
import { securityHeaders } from "../responses/security-headers";

type Load = () => Promise<(platen: Platen) => AnyElysia>;

/** For routes of a lazy handler: the loaded app reads the body. */
export const UNREAD = { parse: "none" } as const;

/** Loads an adapter on its first request, because its code and routes would slow down the start. */
export function lazyHandler(platen: Platen, load: Load) {
  let app: Promise<(request: Request) => Response | Promise<Response>> | undefined;
  const open = async () =>
    new Elysia({ handler: { standardHostname: false } })
      .use(securityHeaders(platen))
      .use((await load())(platen))
      .compile().fetch;
  return async ({ request }: { request: Request }) => {
    app ??= open();
    return await (await app)(request);
  };
}

export function lazyRoutes(platen: Platen, paths: string[], load: Load): AnyElysia {
  const respond = lazyHandler(platen, load);
  const routes = new Elysia({ name: `lazy ${paths}` });
  for (const path of paths) routes.all(path, respond, UNREAD);
  return routes;
}
