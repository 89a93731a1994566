/** What Linux says of a running program; proc(5). */
import { dlopen, ptr } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

/** Of a tick, in milliseconds: in what proc(5) tells a process's time. */
const TICK = 10;

/** Resident, in bytes; 0 where it has ended. */
export function residentMemory(pid: number): number {
  return memoryField(pid, "VmRSS");
}

/** The highest it has been, in bytes. */
export function peakMemory(pid: number): number {
  return memoryField(pid, "VmHWM");
}

function memoryField(pid: number, name: string): number {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+)`).exec(procFile(pid, "status"))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** What it and its children have used of the processors, in milliseconds; of those that ended, to a tick. */
export function processorTime(pid: number): number {
  const [, ...fields] = statOf(pid);
  const ofEnded = fields.slice(12, 14).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK;
  return childrenOf(pid).reduce((sum, child) => sum + processorTime(child), ownTime(pid) + ofEnded);
}

/** All its threads', in milliseconds, by the clock that Linux keeps of every process: a tick is as much as thirty requests take. */
export function ownTime(pid: number): number {
  const time = new BigInt64Array(2);
  // clock_getcpuclockid(3): which clock that is.
  const [seconds, nanoseconds] = clocks.symbols.clock_gettime((~pid << 3) | 2, ptr(time)) === 0 ? time : [];
  return Number(seconds ?? 0) * 1000 + Number(nanoseconds ?? 0) / 1_000_000;
}

const clocks = dlopen("libc.so.6", { clock_gettime: { args: ["i32", "ptr"], returns: "i32" } });

/** What the thread that a process begins with has used of the processor, in milliseconds (schedstat, in nanoseconds). */
export function mainThreadTime(pid: number): number {
  return schedulingTime(pid, 0);
}

/** What it has waited for a processor while others had them, in milliseconds. */
export function mainThreadQueued(pid: number): number {
  return schedulingTime(pid, 1);
}

function schedulingTime(pid: number, field: 0 | 1): number {
  return Number(procFile(pid, `task/${pid}/schedstat`).split(" ")[field]) / 1_000_000;
}

/** What is on its way between this machine's programs from or to a port, and has not been read yet, in bytes. */
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

/** From the third field on: the name before, in brackets, may hold spaces. */
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
