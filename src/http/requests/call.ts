import { Elysia } from "elysia";
import { MAX_LENGTHS } from "../../config/request-limits";
import { waitForLock } from "../../database/transactions";
import { malformed, Refusal } from "../../errors";
import type { Platen } from "../../platen";
import { hasSeveralHosts } from "./headers";

/** The host of a request that names none; no blog has it. */
export const UNKNOWN_HOST = "unknown.invalid";

/** The part of Bun's server that knows the peer's address; null in tests, which have no socket. */
export type Sockets = { requestIP(request: Request): { address: string } | null } | null;

/** A request, and what is needed to answer it. One is made for each request that is not answered from memory, before any door looks at it. */
export interface Call {
  readonly platen: Platen;
  readonly request: Request;
  readonly sockets: Sockets;
  /** By the Host header; client-address has what proxies say. Not to be changed: all functions share it. */
  readonly url: URL;
}

const listeningFor = new WeakMap<Platen, Sockets>();

/** From now on these know who is at the other end of requests. Elysia would tell it to every hook, at a price. */
export function setSockets(platen: Platen, sockets: Sockets): void {
  listeningFor.set(platen, sockets);
}

export function callOf(
  platen: Platen,
  request: Request,
  sockets: Sockets = listeningFor.get(platen) ?? null,
): Call {
  return { platen, request, sockets, url: addressAsked(request) };
}

/**
 * Gives every handler a `call`. Not by `derive`, which runs after bodies are parsed and not at all before some errors:
 * body parsers and error handlers need it too.
 */
export const calls = (platen: Platen) =>
  new Elysia({ name: "calls" })
    .decorate("call", null as unknown as Call)
    // Called twice where a group of routes uses this too.
    .onRequest((context) => {
      context.call ??= callOf(platen, context.request);
    })
    .onTransform({ as: "scoped" }, async ({ call }) => {
      demandShortAddress(call);
      if (!READING.has(call.request.method)) await waitForLock(call.platen);
    });

/** Methods that change nothing. */
const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** @throws Refusal: long address, malformed */
function demandShortAddress({ url }: Call): void {
  if (url.host.length > MAX_LENGTHS.host)
    throw malformed(`Host must be at most ${MAX_LENGTHS.host} characters long.`);
  if (url.pathname.length + url.search.length <= MAX_LENGTHS.address) return;
  throw new Refusal("long address", `An address may have at most ${MAX_LENGTHS.address} characters here.`);
}

/**
 * Around all doors of the app: without a Host header, or with a senseless one, a request's address is its path alone, in
 * which the router looks for the path behind a host.
 */
export function addMissingHost<Doors>(doors: Doors, request: Request): Doors {
  if (request.url.startsWith("/"))
    Object.defineProperty(request, "url", { value: `http://${UNKNOWN_HOST}${request.url}` });
  return doors;
}

type Handler = (request: Request) => unknown;

/**
 * Refuses several Host headers, which arrive as one with commas (RFC 9112 3.2): a proxy in front may go by another of
 * them. It comes after the memory of answers, which it takes the place of.
 */
export function requireSingleHost(doors: Handler, request: Request): Handler {
  return hasSeveralHosts(request) ? refuseHosts : doors;
}

const refuseHosts: Handler = () =>
  new Response("Host must be sent once, and name one host.\n", {
    status: 400,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });

/** A host may still be one that cannot be parsed. */
function addressAsked(request: Request): URL {
  const url = URL.parse(request.url);
  if (url) return url;
  const path = request.url.replace(/^\w+:\/\/[^/]*\/*/, "");
  return new URL(`http://${UNKNOWN_HOST}/${path}`);
}
