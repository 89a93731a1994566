import { join, relative } from "node:path";
import { carried } from "./carried";
import { BuildFault } from "./fault";
import { sharpModules } from "./sharp-packages";
import type { Target } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");

/**
 * Makes the executable for the target.
 * @param runtime the target whose Bun is fetched and built upon; without it, the Bun that runs this
 * @throws BuildFault
 */
export async function compile(target: Target, runtime: Bun.Build.CompileTarget | undefined, outfile: string) {
  const plugin = await carried(target, await sharpModules(target));
  try {
    await Bun.build({
      // The second is started as a thread by src/worker-queue.ts, which names it by its place beside main.ts.
      entrypoints: [join(CHECKOUT, "src/main.ts"), join(CHECKOUT, "src/worker-thread.ts")],
      target: "bun",
      format: "esm",
      // Halves the time to the first answer.
      bytecode: true,
      // Names stay, which the log's traces show.
      minify: { whitespace: true, syntax: true, identifiers: false },
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
