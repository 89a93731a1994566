import type { IncomingMessage } from "node:http";
import type { Config } from "../config";
import { guard, type Opened, opened, type Resolve, systemResolve } from "./address-guard";
import { bodyOf } from "./answer-body";
import { type Deadline, startDeadline } from "./deadline";
import { exchange } from "./one-request";
import type { Answer, Failure, Outgoing, OutgoingRequest } from "./request-and-answer";

const REDIRECTS = [301, 302, 303, 307, 308];
const CREDENTIALS = /^(authorization|cookie)$/i;

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
