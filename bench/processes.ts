/** What Linux says of a running program; proc(5). */
import { readdirSync, readFileSync } from "node:fs";

/** Of a tick, in milliseconds: in what Linux tells a process's time. */
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

/** What it and its children have used of the processors, those that ended too; in milliseconds. */
export function processorTime(pid: number): number {
  const [, ...fields] = statOf(pid);
  // utime, stime, cutime, cstime
  const own = fields.slice(10, 14).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK;
  return childrenOf(pid).reduce((sum, child) => sum + processorTime(child), own);
}

/** What the thread that a process begins with has used of the processor, in milliseconds (schedstat, in nanoseconds). */
export function mainThreadTime(pid: number): number {
  return Number(procFile(pid, `task/${pid}/schedstat`).split(" ")[0]) / 1_000_000;
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
