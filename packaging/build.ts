/**
 * Builds the executable: `bun run build` for this machine (dist/platen),
 * `bun run build --target bun-linux-arm64` for another one (dist/platen-linux-arm64).
 */
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { carried } from "./carried";
import { BuildFault } from "./fault";
import { sharpModules } from "./sharp-packages";
import { type Target, targetNamed, thisMachine } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");

process.exitCode = await build(Bun.argv.slice(2)).catch((fault: unknown) => {
  if (!(fault instanceof BuildFault)) throw fault;
  console.error(fault.message);
  return fault.exitCode;
});

async function build(args: string[]): Promise<number> {
  const target = targetIn(args);
  const outfile = join(CHECKOUT, "dist", target ? `platen-${target.name.replace("bun-", "")}` : "platen");
  await mkdir(join(CHECKOUT, "dist"), { recursive: true });
  await compile(target ?? thisMachine(), target?.name, outfile);
  console.log(`${relative(process.cwd(), outfile)} (${Math.round(Bun.file(outfile).size / 1e6)} MB)`);
  return 0;
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

/** @param runtime the target whose Bun is fetched and built upon; without it, the Bun that runs this */
async function compile(target: Target, runtime: Bun.Build.CompileTarget | undefined, outfile: string) {
  const plugin = await carried(target, await sharpModules(target));
  try {
    await Bun.build({
      // The second is started as a thread by src/worker-queue.ts, which names it by its place beside main.ts.
      entrypoints: [join(CHECKOUT, "src/main.ts"), join(CHECKOUT, "src/worker-thread.ts")],
      target: "bun",
      format: "esm",
      // Halves the time to the first answer.
      bytecode: true,
      // What a command or a request does not need is not loaded, and what both entry points need is carried once.
      splitting: true,
      plugins: [plugin],
      compile: {
        ...(runtime && { target: runtime }),
        outfile,
        assets: [join(CHECKOUT, "migrations")],
        // A file that happens to lie in the working directory must not change what Platen does.
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    });
  } catch (fault) {
    throw new BuildFault(`Cannot build ${relative(CHECKOUT, outfile)}: ${reasonsOf(fault)}`);
  }
}

/** Bun's own message says only that there are others; they name the file, or the runtime that could not be fetched. */
function reasonsOf(fault: unknown): string {
  const faults: unknown[] = fault instanceof AggregateError ? fault.errors : [fault];
  return faults.map((one) => String((one as Error).message).replace(/\s+/g, " ")).join("; ");
}
