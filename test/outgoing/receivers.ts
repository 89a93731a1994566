import { afterEach } from "bun:test";
import type { LookupAddress } from "node:dns";
import { createServer, type Socket } from "node:net";
import { guardedClient } from "../../src/outgoing/guarded-client";
import type { Failure, HttpRequest, HttpResponse } from "../../src/outgoing/http-client";

/** Milliseconds: a time limit that is reached only where a test moves the clock (`jest.useFakeTimers`). */
export const AN_HOUR = 3_600_000;

const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

/** What reached a receiver; copied, for Bun empties a Request once it is answered. */
interface Seen {
  path: string;
  headers: Headers;
  /** Of the other end: the same number is the same connection. */
  peer?: number;
}

/** An HTTP server of its own on this machine. */
export function receive(
  answer: (request: Request) => Response | Promise<Response>,
  at: { hostname?: string; port?: number; tls?: Bun.TLSOptions } = {},
) {
  const seen: Seen[] = [];
  const server = Bun.serve({
    idleTimeout: 0,
    hostname: "127.0.0.1",
    port: 0,
    ...at,
    fetch: (request, server) => {
      const { pathname, search } = new URL(request.url);
      const peer = server.requestIP(request)?.port;
      seen.push({ path: pathname + search, headers: new Headers(request.headers), peer });
      return answer(request);
    },
  });
  running.push(() => server.stop(true));
  return { port: server.port as number, seen };
}

/** A server that says what no HTTP server would; `gone` resolves when the client has closed the connection. */
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
  running.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { port, gone: gone.promise };
}

/** Sends with the settings and the name look-up of a test; whatever is not said is ample. */
export function send(
  request: Partial<HttpRequest> & { url: string },
  { privateHosts = ["127.0.0.1"], resolve = named({}) }: { privateHosts?: string[]; resolve?: Resolve } = {},
): Promise<HttpResponse | Failure> {
  return guardedClient({ privateHosts }, { resolve }).send({
    method: "GET",
    within: AN_HOUR,
    isForAdmin: true,
    ...request,
  });
}

type Resolve = (host: string) => Promise<LookupAddress[]>;

/** A look-up that knows these names only. */
export function named(names: Record<string, string[]>): Resolve {
  return async (host) => {
    if (!names[host]) throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
    return names[host].map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
}

/** @throws where it is a failure, with its words */
export function answered(outcome: HttpResponse | Failure): HttpResponse {
  if ("failed" in outcome) throw new Error(`${outcome.kind}: ${outcome.failed}`);
  return outcome;
}

export async function textOf(outcome: HttpResponse | Failure): Promise<string> {
  const { body } = answered(outcome);
  return Buffer.concat(await Array.fromAsync(body)).toString();
}
