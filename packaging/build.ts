/**
 * `bun run build` builds for this machine (dist/platen), and `bun run build --target bun-linux-arm64` for
 * another machine (dist/platen-linux-arm64).
 */
import { mkdir, rename } from "node:fs/promises";
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
  await mkdir(join(CHECKOUT, "dist"), { recursive: true });
  // The file is renamed at the end, because the previous executable may be running.
  await compile(target ?? thisMachine(), target?.name, `${outfile}.new`);
  await rename(`${outfile}.new`, outfile);
  console.log(`${relative(process.cwd(), outfile)} (${Math.round(Bun.file(outfile).size / MEGABYTE)} MB)`);
  return 0;
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
