import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Config } from "../config";
import { bodyOf } from "./bodies";
import { type Deadline, startDeadline } from "./deadline";
import { exchange } from "./exchange";
import { guard, type Opened, opened, type Resolve, systemResolve } from "./guard";

const REDIRECTS = [301, 302, 303, 307, 308];
const CREDENTIALS = /^(authorization|cookie)$/i;

export interface OutgoingRequest {
  readonly method: "GET" | "POST";
  /** As the user wrote it. */
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** In milliseconds: for the whole exchange, name look-up and redirects included, to the end of the answer's body. */
  readonly within: number;
  /** How many redirects of a GET to follow (none unless said); past them the redirect itself is the answer. */
  readonly redirects?: number;
  /** Ends the exchange early; the failure is then of the kind "stopped". */
  readonly stop?: AbortSignal;
}

/** Given out as soon as status and headers are there. Its connection is held until the body is read, cut or out of time. */
export interface Answer {
  /** The HTTP status, of whatever class. */
  readonly answered: number;
  /** The address that answered, after redirects. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** As sent, once; bodies.ts reads it within limits. Throws BrokenOff where it ends before its end. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection: the rest of the body is not wanted. */
  cut(): void;
}

export interface Failure {
  /** For the owner's eyes: "timed out", "10.0.0.5 is a private address; set …". */
  readonly failed: string;
  readonly kind: FailureKind;
}

export type FailureKind =
  | "refused" // by the guard: nothing was sent to this address
  | "unreachable" // no such host, no connection, no trusted certificate for the name
  | "broken" // connected, but what came is no whole HTTP answer
  | "too large"
  | "timed out"
  | "stopped";

/** The one way out: every request that Platen makes of its own accord goes through here. */
export interface Outgoing {
  send(request: OutgoingRequest): Promise<Answer | Failure>;
}

/** @throws SettingFault where PLATEN_PRIVATE_HOSTS cannot be used */
export function outgoing(
  config: Pick<Config, "privateHosts">,
  { resolve = systemResolve }: { resolve?: Resolve } = {},
): Outgoing {
  const open = opened(config);
  return { send: (request) => send(request, open, resolve) };
}

async function send(request: OutgoingRequest, open: Opened, resolve: Resolve): Promise<Answer | Failure> {
  const deadline = startDeadline(request.within, request.stop);
  const outcome = await Promise.race([follow(request, open, resolve, deadline), deadline.passed]);
  if ("failed" in outcome) deadline.clear();
  return outcome;
}

async function follow(
  request: OutgoingRequest,
  open: Opened,
  resolve: Resolve,
  deadline: Deadline,
): Promise<Answer | Failure> {
  const start = URL.parse(request.url);
  if (!start) return { failed: `"${request.url}" is not an address`, kind: "refused" };
  let url: URL = start;
  let headers = request.headers ?? {};
  for (let left = request.method === "GET" ? (request.redirects ?? 0) : 0; ; left--) {
    const addresses = await guard(url, open, resolve);
    if ("failed" in addresses) return addresses;
    const response = await exchange({ ...request, url, addresses, headers }, deadline.signal);
    if ("failed" in response) return response;
    const next: URL | null = left > 0 ? redirectOf(response, url) : null;
    if (!next) return answerOf(response, url, deadline);
    response.destroy();
    url = next;
    headers = withoutCredentials(headers);
  }
}

function redirectOf({ statusCode, headers }: IncomingMessage, from: URL): URL | null {
  if (!REDIRECTS.includes(statusCode as number) || !headers.location) return null;
  return URL.parse(headers.location, from.href);
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.test(name)));
}

function answerOf(response: IncomingMessage, url: URL, deadline: Deadline): Answer {
  response.once("close", deadline.clear);
  return {
    answered: response.statusCode as number,
    url: url.href,
    headers: response.headers,
    body: bodyOf(response, deadline.signal),
    cut: () => void response.destroy(),
  };
}
