import { existsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { BuildFault } from "./fault";
import type { Target } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");

/**
 * A `node_modules` that holds sharp's packages for the target: the checkout's own where they are installed there, else one
 * made below `dist/`, in the versions and with the checksums of `bun.lock`.
 * @throws BuildFault where they cannot be had
 */
export async function sharpModules(target: Target): Promise<string> {
  const installed = join(CHECKOUT, "node_modules");
  if (packagesMissing(installed, target).length === 0) return installed;
  const folder = join(CHECKOUT, "dist/.packages", target.platform);
  const fetched = join(folder, "node_modules");
  const said = await fetchInto(folder, target);
  const missing = packagesMissing(fetched, target);
  if (missing.length > 0)
    throw new BuildFault(
      `Cannot build for ${target.name}: ${missing.join(" and ")} could not be fetched from the package registry (${said}).`,
    );
  return fetched;
}

function packagesMissing(modules: string, { platform }: Target): string[] {
  const packages = [`@img/sharp-${platform}`, `@img/sharp-libvips-${platform}`];
  return packages.filter((name) => !existsSync(join(modules, name, "package.json")));
}

/** @returns the first thing the installer complained about; a package for another system is optional to it */
async function fetchInto(folder: string, { os, cpu }: Target): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const file of ["package.json", "bun.lock"]) await copyFile(join(CHECKOUT, file), join(folder, file));
  const install = Bun.spawn(
    [
      process.execPath,
      "install",
      "--frozen-lockfile",
      "--ignore-scripts",
      "--omit=dev",
      "--omit=peer",
      `--os=${os}`,
      `--cpu=${cpu}`,
    ],
    { cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  const complaints = (await new Response(install.stderr).text())
    .split("\n")
    .filter((line) => /^(warn|error):/.test(line));
  return complaints[0] ?? `bun install ended with ${await install.exited}`;
}
