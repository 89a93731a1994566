/**
 * Builds the executable: `bun run build` for this machine (dist/platen),
 * `bun run build --target bun-linux-arm64` for another one (dist/platen-linux-arm64).
 */
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "./compiling";
import { BuildFault } from "./fault";
import { type Target, targetNamed, thisMachine } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");
const MEGABYTE = 1_048_576;

process.exitCode = await build(Bun.argv.slice(2)).catch((fault: unknown) => {
  if (!(fault instanceof BuildFault)) throw fault;
  console.error(fault.message);
  return fault.exitCode;
});

async function build(args: string[]): Promise<number> {
  const target = targetIn(args);
  const name = target ? `platen-${target.name.replace("bun-", "")}` : "platen";
  const outfile = join(CHECKOUT, "dist", name);
  // What is written cannot be run, and the former one may be just now; others may be building too.
  const aside = join(CHECKOUT, "dist", `.building-${process.pid}`);
  await mkdir(aside, { recursive: true });
  await removeUnfinished(join(CHECKOUT, "dist"));
  try {
    await compile(target ?? thisMachine(), target?.name, join(aside, name));
    await rename(join(aside, name), outfile);
  } finally {
    await rm(aside, { recursive: true });
  }
  console.log(`${relative(process.cwd(), outfile)} (${Math.round(Bun.file(outfile).size / MEGABYTE)} MB)`);
  return 0;
}

/** Of builds that were cut off; what is somebody else's stays. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^\.building-(\d+)$/.exec(name) ?? [];
    if (pid && !isRunning(Number(pid))) await rm(join(folder, name), { recursive: true }).catch(() => {});
  }
}

/** One of another user's runs too, and may not be asked. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function targetIn(args: string[]): Target | null {
  try {
    const { target } = parseArgs({ args, options: { target: { type: "string" } } }).values;
    return target === undefined ? null : targetNamed(target);
  } catch (fault) {
    if (fault instanceof BuildFault) throw fault;
    throw new BuildFault("Type: bun run build [--target TARGET]", 2);
  }
}
