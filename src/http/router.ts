import { type AnyElysia, Elysia } from "elysia";
import { notFound, type Refusal } from "../errors";
import type { Platen } from "../platen";
import { type Call, calls } from "./requests/call";
import type { Asset } from "./responses/assets";
import { textErrorResponse, toRefusal } from "./responses/error-responses";
import { type HttpResponse, jsonResponse, sendResponse, withHeaders } from "./responses/response";
import { securityHeadersOf } from "./responses/security-headers";

export const router = (
  platen: Platen,
  name: string,
  toResponse: (refusal: Refusal, call: Call) => HttpResponse | Promise<HttpResponse>,
) =>
  new Elysia({ name })
    .use(calls(platen))
    .onError(async ({ call, code, error, route }) =>
      sendResponse(call, await toResponse(toRefusal(call, code, error, route), call)),
    );

/** Handlers read bodies themselves, because Elysia would read bodies of any length. */
export const unparsedRouter = (...options: Parameters<typeof router>) =>
  router(...options).guard({ parse: ["none"] });

export const assetRoute = (platen: Platen, asset: Asset) =>
  router(platen, asset.path, textErrorResponse).get(asset.path, ({ call }) =>
    sendResponse(call, asset.responseFor(asset.path)),
  );

type Routes = Pick<AnyElysia, "routes">;

interface RoutingErrors {
  /** Completes "There is no such …". */
  address: string;
  refusal(message: string): HttpResponse;
}

const API_ERRORS: RoutingErrors = {
  address: "address in this API. See /api/docs",
  refusal: (message) => jsonResponse(405, { message }),
};

/**
 * Handles requests that no route below the path handles: 405 with Allow if the path has other methods,
 * otherwise 404. Without this route, the public site would respond.
 * @param routes all routes below the path
 */
export function methodNotAllowed(platen: Platen, routes: Routes, below: string, errors = API_ERRORS) {
  const respond = ({ call }: { call: Call }) => {
    const allowed = methodsAt(routes, call.url.pathname);
    if (allowed.length === 0) throw notFound(errors.address);
    const methods = allowed.join(", ");
    const refusal = errors.refusal(`${call.request.method} is not allowed here. Allowed: ${methods}.`);
    return sendResponse(call, { ...withHeaders(refusal, { allow: methods }), status: 405 });
  };
  const app = new Elysia().use(calls(platen)).all(`${below}/*`, respond, { parse: "none" });
  return methodsAt(routes, below).length > 0 ? app.all(below, respond, { parse: "none" }) : app;
}

function methodsAt({ routes }: Routes, path: string): string[] {
  const at = routes.filter((route) => routePattern(route.path).test(path)).map((route) => route.method);
  return at.includes("GET") ? [...new Set([...at, "HEAD"])] : [...new Set(at)];
}

function routePattern(path: string): RegExp {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[^/]+/g, "[^/]+");
  return new RegExp(`^${escaped}/?$`);
}

export const securityHeaders = (platen: Platen) => {
  const headers = securityHeadersOf(platen);
  return new Elysia({ name: "security headers" }).mapResponse({ as: "global" }, ({ response }) => {
    if (response instanceof Response) withHeaders(response, headers);
  });
};

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
