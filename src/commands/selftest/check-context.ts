import type { Server } from "bun";
import { runTestedCommand, startTestedServer, type TestedServer } from "./tested-server";

export const EMAIL = "selftest@example.com";
export const PASSWORD = "a password for the self-test";
const REQUEST_TIMEOUT_MS = 20_000;
const WAIT_MS = 20_000;
const POLL_MS = 20;

interface ReceivedHook {
  headers: Headers;
  body: string;
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the checks read fields of many shapes
  json: any;
}

export interface SelfTest extends AsyncDisposable {
  data: string;
  key: string;
  server: TestedServer | null;
  received: ReceivedHook[];
  /** URL of the receiver of webhooks; also the client id of an app. */
  receiverUrl: string;
  /** Statuses of the responses to the next webhooks; 200 when the list is empty. */
  nextStatuses: number[];
  serve(): Promise<TestedServer>;
  /** Does not follow redirects. `path` may also be a whole URL. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** @throws if the response has another status; `name` of the request is for the error */
  expect(status: number, method: string, path: string, options?: SendOptions, name?: string): Promise<Answer>;
}

interface SendOptions {
  headers?: Record<string, string>;
  body?: BodyInit | object;
  isAnonymous?: boolean;
}

export function startSelfTest(data: string): SelfTest {
  const received: ReceivedHook[] = [];
  const nextStatuses: number[] = [];
  const receiver = startReceiver(received, nextStatuses);
  const test: SelfTest = {
    data,
    key: "",
    server: null,
    ...{ received, nextStatuses },
    receiverUrl: `http://127.0.0.1:${receiver.port}/`,
    async serve() {
      test.server ??= await startTestedServer(data);
      return test.server;
    },
    async send(method, path, { headers = {}, body, isAnonymous = false } = {}) {
      const { url } = await test.serve();
      const isJson = body !== undefined && Object.getPrototypeOf(body) === Object.prototype;
      const response = await fetch(path.startsWith("http") ? path : url + path, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        headers: {
          ...(!isAnonymous && { authorization: `Bearer ${test.key}` }),
          ...(isJson && { "content-type": "application/json" }),
          ...headers,
        },
        body: isJson ? JSON.stringify(body) : (body as BodyInit | undefined),
      });
      const text = await response.text();
      const isJsonAnswer = text !== "" && response.headers.get("content-type")?.includes("json");
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJsonAnswer ? JSON.parse(text) : null,
      };
    },
    async expect(status, method, path, options, name = `${method} ${path}`) {
      const answer = await test.send(method, path, options);
      const begin = answer.text.slice(0, 200);
      assert(answer.status === status, `${name} returned ${answer.status} instead of ${status}: ${begin}`);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await test.server?.kill();
      await receiver.stop(true);
    },
  };
  return test;
}

export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence);
}

export async function waitFor<Result>(find: () => Result | undefined, awaited: string): Promise<Result> {
  for (const end = performance.now() + WAIT_MS; ; await Bun.sleep(POLL_MS)) {
    const found = find();
    if (found !== undefined) return found;
    assert(performance.now() < end, `${awaited} did not arrive within ${WAIT_MS / 1000} s`);
  }
}

export function runOn(test: SelfTest, words: string[], stdin = ""): Promise<string> {
  return runTestedCommand([...words, "--data", test.data], stdin);
}

/** A POST is a webhook. A GET returns the page of an app that people sign in to. */
function startReceiver(received: ReceivedHook[], nextStatuses: number[]): Server<undefined> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method === "GET")
        return new Response("<title>An app</title>", { headers: { "content-type": "text/html" } });
      received.push({ headers: request.headers, body: await request.text() });
      return new Response(null, { status: nextStatuses.shift() ?? 200 });
    },
  });
}
