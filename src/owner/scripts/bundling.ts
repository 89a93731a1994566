import { join } from "node:path";
import { ENTRY_POINTS, type ScriptName } from "./entry-points";

/** Bundles a script. The executable contains scripts that are bundled at build time instead. */
export async function bundleScript(name: ScriptName): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../admin", ENTRY_POINTS[name])],
    target: "browser",
    format: "esm",
    minify: true,
    // Removes development code from libraries.
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return (await outputs[0]?.text()) ?? "";
}
