import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../../runtime/child-command";

const START_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 20_000;
const WAIT_MS = 20_000;
const POLL_MS = 20;

export interface TestedServer {
  url: string;
  /** @returns the exit code */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number>;
}

export async function startTestedServer(data: string): Promise<TestedServer> {
  const log = join(data, "..", "server.log");
  const child = Bun.spawn([...PROGRAM, "serve", "--data", data], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: Bun.file(log),
    env: testedEnvironment(),
  });
  const end: TestedServer["end"] = (signal) => {
    child.kill(signal);
    return child.exited;
  };
  const timer = setTimeout(() => end("SIGKILL"), START_TIMEOUT_MS);
  let printed = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += chunk;
    const url = /^Platen is at (http:\/\/[^/\s]+)\//m.exec(printed)?.[1];
    if (!url) continue;
    clearTimeout(timer);
    return { url, end };
  }
  throw new Error(`the server did not start: ${readFileSync(log, "utf8").trim() || printed}`);
}

/** Leaves out PLATEN_ variables, which may configure a real instance. */
function testedEnvironment(): Record<string, string | undefined> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("PLATEN_"));
  return {
    ...Object.fromEntries(others),
    PLATEN_PORT: "0",
    PLATEN_PRIVATE_HOSTS: "127.0.0.1",
    PLATEN_WEBHOOK_RETRY: "1s,1s,1s,1s,1s",
  };
}

interface SendOptions {
  headers?: Record<string, string>;
  body?: BodyInit | object;
  isAnonymous?: boolean;
}

export class SelfTest implements AsyncDisposable {
  key = "";
  server: TestedServer | null = null;
  received: { headers: Headers; body: string }[] = [];
  /** Statuses of the responses to the next webhooks; 200 when the list is empty. */
  nextStatuses: number[] = [];
  /** A POST is a webhook. A GET returns the page of an app that people sign in to. */
  private readonly receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      if (request.method === "GET")
        return new Response("<title>An app</title>", { headers: { "content-type": "text/html" } });
      this.received.push({ headers: request.headers, body: await request.text() });
      return new Response(null, { status: this.nextStatuses.shift() ?? 200 });
    },
  });

  constructor(readonly data: string) {}

  /** URL of the receiver of webhooks; also the client id of an app. */
  get receiverUrl(): string {
    return `http://127.0.0.1:${this.receiver.port}/`;
  }

  async serve(): Promise<TestedServer> {
    this.server ??= await startTestedServer(this.data);
    return this.server;
  }

  async run(words: string[], stdin = "", data = this.data): Promise<string> {
    const child = Bun.spawn([...PROGRAM, ...words, "--data", data], {
      stdin: new Blob([stdin]),
      stdout: "pipe",
      stderr: "pipe",
      env: testedEnvironment(),
    });
    const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
    const [stdout = "", stderr = ""] = await Promise.all(texts);
    if ((await child.exited) !== 0) throw new Error(`platen ${words[0]}: ${stderr.trim() || stdout.trim()}`);
    return stdout.trim();
  }

  /** Does not follow redirects. `path` may also be a whole URL. */
  async send(method: string, path: string, { headers, body, isAnonymous = false }: SendOptions = {}) {
    const { url } = await this.serve();
    const isJson = body !== undefined && Object.getPrototypeOf(body) === Object.prototype;
    const response = await fetch(path.startsWith("http") ? path : url + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headers: {
        ...(!isAnonymous && { authorization: `Bearer ${this.key}` }),
        ...(isJson && { "content-type": "application/json" }),
        ...headers,
      },
      body: isJson ? JSON.stringify(body) : (body as BodyInit | undefined),
    });
    const text = await response.text();
    const isJsonResponse = text !== "" && response.headers.get("content-type")?.includes("json");
    const json = isJsonResponse ? JSON.parse(text) : null;
    return { status: response.status, headers: response.headers, text, json };
  }

  /** @throws if the response has another status; the error contains `name` */
  async expect(
    status: number,
    method: string,
    path: string,
    options?: SendOptions,
    name = `${method} ${path}`,
  ) {
    const response = await this.send(method, path, options);
    const begin = response.text.slice(0, 200);
    assert(response.status === status, `${name} returned ${response.status} instead of ${status}: ${begin}`);
    return response;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server?.end("SIGKILL");
    await this.receiver.stop(true);
  }
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
