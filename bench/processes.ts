/** Reads process statistics from Linux; see proc(5). */
import { dlopen, ptr } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds per clock tick, the unit of process times in proc(5). */
const TICK = 10;

/** @returns resident bytes; 0 if the process has ended */
export function residentMemory(pid: number): number {
  return memoryField(pid, "VmRSS");
}

/** @returns peak resident bytes */
export function peakMemory(pid: number): number {
  return memoryField(pid, "VmHWM");
}

function memoryField(pid: number, name: string): number {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+)`).exec(procFile(pid, "status"))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** @returns CPU milliseconds of the process and its children; those of ended children are rounded to ticks */
export function processorTime(pid: number): number {
  const [, ...fields] = statOf(pid);
  const ofEnded = fields.slice(12, 14).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK;
  return childrenOf(pid).reduce((sum, child) => sum + processorTime(child), ownTime(pid) + ofEnded);
}

/** @returns CPU milliseconds of all threads, more precise than ticks */
export function ownTime(pid: number): number {
  const time = new BigInt64Array(2);
  // The clock id of a process: clock_getcpuclockid(3).
  const [seconds, nanoseconds] = clocks.symbols.clock_gettime((~pid << 3) | 2, ptr(time)) === 0 ? time : [];
  return Number(seconds ?? 0) * 1000 + Number(nanoseconds ?? 0) / 1_000_000;
}

const clocks = dlopen("libc.so.6", { clock_gettime: { args: ["i32", "ptr"], returns: "i32" } });

/** @returns CPU milliseconds of the main thread */
export function mainThreadTime(pid: number): number {
  return schedulingTime(pid, 0);
}

/** @returns milliseconds that the main thread waited for a CPU */
export function mainThreadQueued(pid: number): number {
  return schedulingTime(pid, 1);
}

function schedulingTime(pid: number, field: 0 | 1): number {
  return Number(procFile(pid, `task/${pid}/schedstat`).split(" ")[field]) / 1_000_000;
}

/** @returns bytes in socket buffers from or to a port that have not been read yet */
export function unreadBytes(port: number): number {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const connections = readFileSync("/proc/net/tcp", "latin1").split("\n").slice(1);
  return connections.reduce((bytes, line) => {
    const [, from = "", to = "", , queues = ""] = line.trim().split(/\s+/);
    const [unsent = "", unread = ""] = queues.split(":");
    if (from.endsWith(end)) return bytes + Number.parseInt(unread, 16);
    return to.endsWith(end) ? bytes + Number.parseInt(unsent, 16) : bytes;
  }, 0);
}

export function childrenOf(pid: number): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((other) => statOf(other)[1] === String(pid));
}

/** @returns fields from the third on, because the name before them may contain spaces */
function statOf(pid: number): string[] {
  const line = procFile(pid, "stat");
  return line.slice(line.lastIndexOf(")") + 2).split(" ");
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
