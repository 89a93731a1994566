import { existsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { BuildError } from "./build-error";
import type { Target } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");

/**
 * @returns a `node_modules` folder with sharp's packages for the target
 * @throws BuildError if the packages cannot be downloaded
 */
export async function sharpModules(target: Target): Promise<string> {
  const installed = join(CHECKOUT, "node_modules");
  if (missingPackages(installed, target).length === 0) return installed;
  const folder = join(CHECKOUT, "dist/.packages", target.platform);
  const downloaded = join(folder, "node_modules");
  const warning = await installInto(folder, target);
  const missing = missingPackages(downloaded, target);
  if (missing.length > 0)
    throw new BuildError(
      `Cannot build for ${target.name}: ${missing.join(" and ")} could not be downloaded from the package registry (${warning}).`,
    );
  return downloaded;
}

function missingPackages(modules: string, { platform }: Target): string[] {
  const packages = [`@img/sharp-${platform}`, `@img/sharp-libvips-${platform}`];
  return packages.filter((name) => !existsSync(join(modules, name, "package.json")));
}

/** @returns the first warning or error, because a missing package for another system is only a warning */
async function installInto(folder: string, { os, cpu }: Target): Promise<string> {
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
  const warnings = (await new Response(install.stderr).text())
    .split("\n")
    .filter((line) => /^(warn|error):/.test(line));
  return warnings[0] ?? `bun install ended with ${await install.exited}`;
}
