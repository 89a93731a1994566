/** What Linux has yet to write of a file to its disk: cachestat(2), in Linux since 6.5. */
import { dlopen } from "bun:ffi";
import { closeSync, openSync } from "node:fs";

const CACHESTAT = 451n;
/** In `struct cachestat`, which has five numbers. */
const DIRTY = 1;
const WRITEBACK = 2;

const libc = () =>
  dlopen("libc.so.6", {
    syscall: { args: ["i64", "i64", "ptr", "ptr", "i64"], returns: "i64" },
  });

export function tellsUnwritten(): boolean {
  try {
    return Number.isInteger(unwrittenPages(import.meta.path));
  } catch {
    return false;
  }
}

/** @throws where the system does not tell */
export function unwrittenPages(file: string): number {
  const opened = openSync(file, "r");
  try {
    const all = new BigUint64Array(2);
    const found = new BigUint64Array(5);
    const { symbols } = libc();
    if (symbols.syscall(CACHESTAT, BigInt(opened), all, found, 0n) !== 0n) throw new Error("no cachestat(2)");
    return Number((found[DIRTY] ?? 0n) + (found[WRITEBACK] ?? 0n));
  } finally {
    closeSync(opened);
  }
}
