import { join, relative } from "node:path";
import { BuildError } from "./build-error";
import { embeddedAssets } from "./embedded-assets";
import { sharpModules } from "./sharp-packages";
import type { Target } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");

/** @param runtime target whose Bun is downloaded; undefined: the Bun that runs this script */
export async function compile(target: Target, runtime: Bun.Build.CompileTarget | undefined, outfile: string) {
  const plugin = await embeddedAssets(target, await sharpModules(target));
  try {
    await Bun.build({
      // src/worker-queue.ts starts worker-thread.ts by its path relative to main.ts.
      entrypoints: [join(CHECKOUT, "src/main.ts"), join(CHECKOUT, "src/worker-thread.ts")],
      target: "bun",
      format: "esm",
      // Halves the start time.
      bytecode: true,
      // Names are kept for stack traces.
      minify: { whitespace: true, syntax: true, identifiers: false },
      // Splitting loads modules on demand, and both entry points share them.
      splitting: true,
      plugins: [plugin],
      compile: {
        ...(runtime && { target: runtime }),
        outfile,
        assets: [join(CHECKOUT, "migrations")],
        // Configuration files in the working directory must not change the server.
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    });
  } catch (error) {
    throw new BuildError(`Cannot build ${relative(CHECKOUT, outfile)}: ${joinMessages(error)}`);
  }
}

/** An AggregateError names the file, or the runtime that could not be downloaded, only in its inner errors. */
function joinMessages(error: unknown): string {
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
  return errors.map((each) => String((each as Error).message).replace(/\s+/g, " ")).join("; ");
}
