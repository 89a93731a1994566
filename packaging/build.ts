/**
 * Builds the executable: `bun run build` for this machine (dist/platen),
 * `bun run build --target bun-linux-arm64` for another one (dist/platen-linux-arm64).
 */
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { BuildError } from "./build-error";
import { compile } from "./compile";
import { type Target, targetNamed, thisMachine } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");
const MEGABYTE = 1_048_576;

process.exitCode = await build(Bun.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  return error.exitCode;
});

async function build(args: string[]): Promise<number> {
  const target = targetIn(args);
  const name = target ? `platen-${target.name.replace("bun-", "")}` : "platen";
  const outfile = join(CHECKOUT, "dist", name);
  // Build in a folder of its own, then rename: the previous executable may be running.
  const folder = join(CHECKOUT, "dist", `.building-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await deleteUnfinishedBuilds(join(CHECKOUT, "dist"));
  try {
    await compile(target ?? thisMachine(), target?.name, join(folder, name));
    await rename(join(folder, name), outfile);
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log(`${relative(process.cwd(), outfile)} (${Math.round(Bun.file(outfile).size / MEGABYTE)} MB)`);
  return 0;
}

/** Deletes the folders of builds that were killed. */
async function deleteUnfinishedBuilds(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^\.building-(\d+)$/.exec(name) ?? [];
    if (pid && !isRunning(Number(pid))) await rm(join(folder, name), { recursive: true }).catch(() => {});
  }
}

/** EPERM means that the process runs as another user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function targetIn(args: string[]): Target | null {
  try {
    const { target } = parseArgs({ args, options: { target: { type: "string" } } }).values;
    return target === undefined ? null : targetNamed(target);
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw new BuildError("Type: bun run build [--target TARGET]", 2);
  }
}
