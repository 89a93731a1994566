import { Elysia } from "elysia";
import { MAX_LENGTHS } from "../../config/request-limits";
import { waitForLock } from "../../database/transactions";
import { malformed, Refusal } from "../../errors";
import type { Platen } from "../../platen";
import { hasSeveralHosts } from "./headers";

/** Stands for a missing or invalid host. No blog has this host. */
export const UNKNOWN_HOST = "unknown.invalid";

/** Bun's server; null for requests without a socket, as in static exports. */
export type Sockets = { requestIP(request: Request): { address: string } | null } | null;

export interface Call {
  readonly platen: Platen;
  readonly request: Request;
  readonly sockets: Sockets;
  /**
   * The host is that of the Host header, not of X-Forwarded-Host (see `requestBase`). Shared, so do not
   * change the URL.
   */
  readonly url: URL;
}

const socketsOf = new WeakMap<Platen, Sockets>();

export function setSockets(platen: Platen, sockets: Sockets): void {
  socketsOf.set(platen, sockets);
}

export function callOf(platen: Platen, request: Request, sockets: Sockets = socketsOf.get(platen) ?? null) {
  return { platen, request, sockets, url: parseRequestUrl(request) };
}

/** `onRequest` sets `call`, because `derive` runs too late for body parsers and some error handlers. */
export const calls = (platen: Platen) =>
  new Elysia({ name: "calls" })
    .decorate("call", null as unknown as Call)
    // Runs twice if a group of routes also uses this plugin.
    .onRequest((context) => {
      context.call ??= callOf(platen, context.request);
    })
    .onTransform({ as: "scoped" }, async ({ call }) => {
      assertShortUrl(call);
      if (!["GET", "HEAD", "OPTIONS"].includes(call.request.method)) await waitForLock(call.platen);
    });

function assertShortUrl({ url }: Call): void {
  if (url.host.length > MAX_LENGTHS.host)
    throw malformed(`Host must be at most ${MAX_LENGTHS.host} characters.`);
  if (url.pathname.length + url.search.length <= MAX_LENGTHS.address) return;
  throw new Refusal("long address", `The address must be at most ${MAX_LENGTHS.address} characters.`);
}

/** Without a valid Host header, Bun's `request.url` is only a path, but Elysia's router expects a host. */
export function addMissingHost<App>(app: App, request: Request): App {
  if (request.url.startsWith("/"))
    Object.defineProperty(request, "url", { value: `http://${UNKNOWN_HOST}${request.url}` });
  return app;
}

export type FetchHandler = (request: Request) => unknown;

/**
 * Rejects requests with several Host headers (RFC 9112 3.2), because a proxy and Platen could use different
 * ones. Bun joins these headers with commas.
 */
export const requireSingleHost = (app: FetchHandler, request: Request): FetchHandler =>
  hasSeveralHosts(request) ? rejectHosts : app;

const rejectHosts: FetchHandler = () =>
  new Response("Host must be sent once and name one host.\n", {
    status: 400,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });

function parseRequestUrl(request: Request): URL {
  const url = URL.parse(request.url);
  if (url) return url;
  const path = request.url.replace(/^\w+:\/\/[^/]*\/*/, "");
  return new URL(`http://${UNKNOWN_HOST}/${path}`);
}

const counts = new WeakMap<Platen, { requests: number; errors: number }>();

export function requestCounts(platen: Platen) {
  return counts.getOrInsertComputed(platen, () => ({ requests: 0, errors: 0 }));
}
