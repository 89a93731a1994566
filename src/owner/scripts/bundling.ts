import { join } from "node:path";
import { ENTRY_POINTS, type ScriptName } from "./entry-points";

/**
 * A script as browsers get it. From source it is made here; the executable has neither the source nor the packages, so
 * its build calls this for each and puts the texts in the place of this file.
 */
export async function bundled(name: ScriptName): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../admin", ENTRY_POINTS[name])],
    target: "browser",
    format: "esm",
    minify: true,
    // Libraries leave out what only helps those who develop them.
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return (await outputs[0]?.text()) ?? "";
}
