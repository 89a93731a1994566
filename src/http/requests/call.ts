import { Elysia } from "elysia";
import type { Platen } from "../../platen";

/** Stands for a host that was not named; no blog has it. */
export const UNKNOWN_HOST = "unknown.invalid";

/** The part of Bun's server that knows who is at the other end; null where a request came by no socket. */
export type Sockets = { requestIP(request: Request): { address: string } | null } | null;

/** One request to one Platen, with its address parsed: made once, before anything else looks at it. */
export interface Call {
  readonly platen: Platen;
  readonly request: Request;
  readonly sockets: Sockets;
  /** What was asked for, by the request's own Host header (see client-address for what proxies say). Shared: copy it to change it. */
  readonly url: URL;
}

export function callOf(platen: Platen, request: Request, sockets: Sockets): Call {
  return { platen, request, sockets, url: addressAsked(request) };
}

/**
 * Gives every handler a `call`, error handlers and body parsers too: it is there before any of them, whichever instance
 * uses this.
 */
export const calls = (platen: Platen) =>
  new Elysia({ name: "calls" })
    .decorate("call", null as unknown as Call)
    // Elysia may come by here twice, where two of the doors used are in a group.
    .onRequest((context) => {
      context.call ??= callOf(platen, context.request, context.server);
    });

/** A request without a Host header, or with a senseless one, has an address that cannot be parsed. */
function addressAsked(request: Request): URL {
  const path = request.url.replace(/^\w+:\/\/[^/]*/, "").replace(/^\/+/, "");
  return URL.parse(request.url) ?? new URL(`http://${UNKNOWN_HOST}/${path}`);
}
