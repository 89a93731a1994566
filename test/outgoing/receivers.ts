import type { LookupAddress } from "node:dns";
import { createServer, type Socket } from "node:net";
import { guardedClient } from "../../src/outgoing/guarded-client";
import type { Failure, HttpRequest, HttpResponse } from "../../src/outgoing/http-client";
import { afterTest } from "../support/temporary";

/** A time limit in milliseconds that is reached only with `jest.useFakeTimers`. */
export const AN_HOUR = 3_600_000;

/** A received request, copied because Bun clears a Request after the response. */
interface ReceivedRequest {
  path: string;
  headers: Headers;
}

/** Starts an HTTP server on this machine. */
export function receive(
  answer: (request: Request) => Response | Promise<Response>,
  at: { hostname?: string; port?: number; tls?: Bun.TLSOptions } = {},
) {
  const seen: ReceivedRequest[] = [];
  const server = Bun.serve({
    idleTimeout: 0,
    hostname: "127.0.0.1",
    port: 0,
    ...at,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      seen.push({ path: pathname + search, headers: new Headers(request.headers) });
      return answer(request);
    },
  });
  afterTest(() => server.stop(true));
  return { port: server.port as number, seen };
}

/** Starts a TCP server that responds with anything; `gone` resolves when the client closes the connection. */
export async function receiveRaw(answer: (socket: Socket) => void) {
  const gone = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("close", () => gone.resolve());
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  afterTest(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { port, gone: gone.promise };
}

/** Sends with a test's settings and resolver; the defaults allow this machine and an hour. */
export function send(
  request: Partial<HttpRequest> & { url: string },
  {
    privateHosts = ["127.0.0.1"],
    resolve = resolverOf({}),
  }: { privateHosts?: string[]; resolve?: Resolve } = {},
): Promise<HttpResponse | Failure> {
  return guardedClient({ privateHosts }, { resolve }).send({
    method: "GET",
    within: AN_HOUR,
    isForAdmin: true,
    ...request,
  });
}

type Resolve = (host: string) => Promise<LookupAddress[]>;

/** A resolver that knows only these names. */
export function resolverOf(names: Record<string, string[]>): Resolve {
  return async (host) => {
    if (!names[host]) throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
    return names[host].map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
}

/** @returns the response @throws Error with its message if the request failed */
export function expectResponse(outcome: HttpResponse | Failure): HttpResponse {
  if ("failed" in outcome) throw new Error(`${outcome.kind}: ${outcome.failed}`);
  return outcome;
}

export async function textOf(outcome: HttpResponse | Failure): Promise<string> {
  const { body } = expectResponse(outcome);
  return Buffer.concat(await Array.fromAsync(body)).toString();
}
