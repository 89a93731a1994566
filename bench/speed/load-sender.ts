/** The process that sends a load where `wrk` is not there or cannot: reads what to send, prints what came of it. */
import { ownTime } from "../processes";
import { quantile } from "../statistics";

export interface Asked {
  method: string;
  /** With its query. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Left out of what is counted: a write that comes before what is measured. */
  isBeside?: boolean;
}

export interface Load {
  url: string;
  /** Of the server. */
  pid: number;
  /** Sent in turn, and from the first again. */
  requests: Asked[];
  connections: number;
  /** One of the two: how long, or how many of the requests. */
  seconds?: number;
  count?: number;
}

/** About what was counted. */
export interface Sent {
  answered: number;
  /** In milliseconds, as the next two. */
  took: number;
  median: number;
  p99: number;
  /** Of the server's processor time, in milliseconds: what passed before each answer that was counted, since the one before. */
  used: number;
  /** The share of a processor that this process took. */
  busy: number;
}

if (import.meta.main) console.log(JSON.stringify(await sent(await Bun.stdin.json())));

async function sent({ url, pid, requests, connections, seconds, count = Infinity }: Load): Promise<Sent> {
  const { hostname, port } = new URL(url);
  const ready = requests.map((asked) => ({ ...asked, bytes: bytesOf(asked, `${hostname}:${port}`) }));
  const times: number[] = [];
  let [begun, used, usedBefore] = [0, 0, ownTime(pid)];
  const began = performance.now();
  const until = seconds === undefined ? Infinity : began + seconds * 1000;
  const next = () => {
    // Where the machine was busy with something else until the time was over, each connection asks once all the same.
    const isOver = performance.now() > until && begun >= connections;
    if (begun >= count || isOver) return null;
    return ready[begun++ % ready.length] as (typeof ready)[number];
  };
  const onAnswered = (time: number, { isBeside }: Asked) => {
    const usedByNow = ownTime(pid);
    if (!isBeside) {
      times.push(time);
      used += usedByNow - usedBefore;
    }
    usedBefore = usedByNow;
  };
  await Promise.all(
    Array.from({ length: connections }, () => converse({ hostname, port: Number(port) }, next, onAnswered)),
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

function bytesOf({ method, path, headers = {}, body }: Asked, host: string): Buffer {
  const all = { host, ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`);
}

/** One connection: a request, its whole answer, the next. @throws Error for an answer that is no success */
async function converse(
  to: { hostname: string; port: number },
  next: () => (Asked & { bytes: Buffer }) | null,
  onAnswered: (time: number, asked: Asked) => void,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  let asked: ReturnType<typeof next> = null;
  let [since, left, head] = [0, 0, Buffer.alloc(0)];
  const ask = () => {
    asked = next();
    if (!asked) return socket.end();
    since = performance.now();
    socket.write(asked.bytes);
  };
  const hear = (data: Buffer) => {
    if (left > 0) left -= data.length;
    else {
      head = Buffer.concat([head, data]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const said = head.toString("latin1", 0, end);
      if (!/^HTTP\/1.1 2/.test(said))
        throw new Error(`${asked?.method} ${asked?.path}: ${head.toString().slice(0, 500)}`);
      left = Number(/^content-length: (\d+)/im.exec(said)?.[1] ?? 0) - (head.length - end - 4);
      head = Buffer.alloc(0);
    }
    if (left > 0) return;
    if (asked) onAnswered(performance.now() - since, asked);
    ask();
  };
  const socket = await Bun.connect({
    ...to,
    socket: {
      data: (_, data) => hear(data),
      close: () => over.resolve(),
      error: (_, fault) => over.reject(fault),
    },
  });
  ask();
  await over.promise;
}
