import { join } from "node:path";
import { processorTime } from "../processes";
import type { Load, LoadResult } from "./load-sender";

const SENDER = join(import.meta.dir, "load-sender.ts");

export interface LoadFigures {
  rate: number;
  /** Milliseconds, like `p99`. */
  median: number;
  p99: number;
  /** CPU milliseconds of the server per response. */
  processor: number;
  /** CPU shares. A share near 1 is the bottleneck. */
  serverBusy: number;
  senderBusy: number;
}

export interface Server {
  /** Without a slash at the end. */
  url: string;
  pid: number;
}

export const HAS_WRK = Bun.which("wrk") !== null;

export async function runLoad(
  server: Server,
  { path, headers = {} }: { path: string; headers?: Record<string, string> },
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadFigures> {
  // wrk supports whole seconds only.
  if (!HAS_WRK || seconds < 1)
    return await send(server, { requests: [{ method: "GET", path, headers }], connections, seconds });
  const named = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const length = `-d${Math.round(seconds)}s`;
  const command = ["wrk", "-t1", `-c${connections}`, length, "--latency", ...named, server.url + path];
  const before = processorTime(server.pid);
  const began = performance.now();
  const wrk = Bun.spawn(command, { stdout: "pipe" });
  const output = await new Response(wrk.stdout).text();
  await wrk.exited;
  const took = performance.now() - began;
  const used = processorTime(server.pid) - before;
  const wrong = /Non-2xx.*|Socket errors.*/.exec(output)?.[0];
  const answered = Number(/(\d+) requests in/.exec(output)?.[1]);
  if (wrong) throw new Error(`${path}: ${wrong}`);
  // On a busy machine there may be no response within a second.
  if (!answered) return await runLoad(server, { path, headers }, { connections, seconds: 2 * seconds + 1 });
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    median: milliseconds(/^\s+50%\s+(\S+)/m.exec(output)?.[1]),
    p99: milliseconds(/^\s+99%\s+(\S+)/m.exec(output)?.[1]),
    processor: used / answered,
    serverBusy: used / took,
    senderBusy: processorTimeOfEnded(wrk) / took,
  };
}

function milliseconds(text = ""): number {
  const [, number, unit = ""] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  return Number(number) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN);
}

export async function send({ url, pid }: Server, load: Omit<Load, "url" | "pid">): Promise<LoadFigures> {
  const sender = Bun.spawn([process.execPath, SENDER], {
    stdin: new Blob([JSON.stringify({ ...load, url, pid } satisfies Load)]),
    stdout: "pipe",
  });
  const output = await new Response(sender.stdout).text();
  if ((await sender.exited) !== 0) throw new Error(`${url}: ${output}`);
  const sent: LoadResult = JSON.parse(output);
  return {
    rate: (sent.answered / sent.took) * 1000,
    median: sent.median,
    p99: sent.p99,
    processor: sent.used / sent.answered,
    serverBusy: sent.used / sent.took,
    senderBusy: sent.busy,
  };
}
function processorTimeOfEnded(child: Bun.Subprocess): number {
  return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
}
