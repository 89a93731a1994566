import { join } from "node:path";
import { ENTRY_POINTS, type ScriptName } from "./entry-points";

/** The executable's build calls this function, then replaces this file with the results. */
export async function bundleScript(name: ScriptName): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../admin", ENTRY_POINTS[name])],
    target: "browser",
    format: "esm",
    minify: true,
    // Only libraries log, for their developers.
    drop: ["console"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return (await outputs[0]?.text()) ?? "";
}
