/**
 * Load generator, used if `wrk` is missing or cannot send these requests. Reads a `Load` from stdin, and
 * prints a `LoadResult`.
 */
import { ownTime } from "../processes";
import { quantile } from "../statistics";

export interface LoadRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** If true, the request is not counted. */
  isBeside?: boolean;
}

export interface Load {
  url: string;
  pid: number;
  requests: LoadRequest[];
  connections: number;
  /** Give either `seconds` or `count`. */
  seconds?: number;
  count?: number;
}

export interface LoadResult {
  answered: number;
  /** Milliseconds, like `median` and `p99`. */
  took: number;
  median: number;
  p99: number;
  /** CPU milliseconds of the server for the counted requests. */
  used: number;
  /** CPU share of this process. */
  busy: number;
}

if (import.meta.main) console.log(JSON.stringify(await runLoad(await Bun.stdin.json())));

async function runLoad({
  url,
  pid,
  requests,
  connections,
  seconds,
  count = Infinity,
}: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const ready = requests.map((asked) => ({ ...asked, bytes: bytesOf(asked, `${hostname}:${port}`) }));
  const times: number[] = [];
  let [begun, used, usedBefore] = [0, 0, ownTime(pid)];
  const began = performance.now();
  const until = seconds === undefined ? Infinity : began + seconds * 1000;
  const next = () => {
    // Each connection sends at least one request, even if the time is over.
    const isOver = performance.now() > until && begun >= connections;
    if (begun >= count || isOver) return null;
    return ready[begun++ % ready.length] as (typeof ready)[number];
  };
  const onAnswered = (time: number, { isBeside }: LoadRequest) => {
    const usedByNow = ownTime(pid);
    if (!isBeside) {
      times.push(time);
      used += usedByNow - usedBefore;
    }
    usedBefore = usedByNow;
  };
  await Promise.all(
    Array.from({ length: connections }, () =>
      sendOnConnection({ hostname, port: Number(port) }, next, onAnswered),
    ),
  );
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage();
  return {
    answered: times.length,
    took,
    median: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    used,
    busy: (user + system) / 1000 / took,
  };
}

function bytesOf({ method, path, headers = {}, body }: LoadRequest, host: string): Buffer {
  const all = { host, ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`);
}

async function sendOnConnection(
  to: { hostname: string; port: number },
  next: () => (LoadRequest & { bytes: Buffer }) | null,
  onAnswered: (time: number, asked: LoadRequest) => void,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  let request: ReturnType<typeof next> = null;
  let [since, left, head] = [0, 0, Buffer.alloc(0)];
  const ask = () => {
    request = next();
    if (!request) return socket.end();
    since = performance.now();
    socket.write(request.bytes);
  };
  const onData = (data: Buffer) => {
    if (left > 0) left -= data.length;
    else {
      head = Buffer.concat([head, data]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const headText = head.toString("latin1", 0, end);
      if (!/^HTTP\/1.1 2/.test(headText))
        throw new Error(`${request?.method} ${request?.path}: ${head.toString().slice(0, 500)}`);
      left = Number(/^content-length: (\d+)/im.exec(headText)?.[1] ?? 0) - (head.length - end - 4);
      head = Buffer.alloc(0);
    }
    if (left > 0) return;
    if (request) onAnswered(performance.now() - since, request);
    ask();
  };
  const socket = await Bun.connect({
    ...to,
    socket: {
      data: (_, data) => onData(data),
      close: () => over.resolve(),
      error: (_, error) => over.reject(error),
    },
  });
  ask();
  await over.promise;
}
