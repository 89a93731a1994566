/** Builds a release in dist/release: `bun run release [--target TARGET]…`, by default for all targets. */
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json";
import { BuildError } from "./build-error";
import { compile } from "./compile";
import { componentList } from "./component-list";
import { debianPackage } from "./debian-package";
import { packTarball, runProgram } from "./programs";
import { TARGETS, type Target, targetNamed } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");
const RELEASE = join(CHECKOUT, "dist/release");
const FILES = [
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "Caddyfile.example",
  "docs",
  "packaging/platen.service",
  "packaging/install.sh",
  "packaging/Containerfile",
];

process.exitCode = await release(Bun.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  return error.exitCode;
});

async function release(args: string[]): Promise<number> {
  const targets = targetsIn(args);
  process.umask(0o022);
  await rm(RELEASE, { recursive: true, force: true });
  await mkdir(RELEASE, { recursive: true });
  for (const target of targets) {
    const folder = await createFolder(target);
    await pack(folder);
    // Debian's amd64 includes older machines, so the package contains the baseline executable if both are
    // built.
    const isForNewerOnly = target.name === "bun-linux-x64" && targets.some(isBaseline);
    if (target.debian && !isForNewerOnly) await debianPackage(target.debian, folder, RELEASE);
    await rm(folder, { recursive: true });
    console.log(`Built ${target.name}.`);
  }
  await Bun.write(
    join(RELEASE, `platen-${manifest.version}.cdx.json`),
    await componentList(targets[0] as Target),
  );
  await Bun.write(join(RELEASE, "SHA256SUMS"), await checksums());
  return 0;
}

function isBaseline({ name }: Target): boolean {
  return name === "bun-linux-x64-baseline";
}

function targetsIn(args: string[]): Target[] {
  try {
    const { target } = parseArgs({ args, options: { target: { type: "string", multiple: true } } }).values;
    return (target ?? [...TARGETS]).map(targetNamed);
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw new BuildError("Type: bun run release [--target TARGET]…", 2);
  }
}

async function createFolder(target: Target): Promise<string> {
  const folder = join(RELEASE, `platen-${manifest.version}-${target.name.replace("bun-", "")}`);
  await mkdir(folder);
  await compile(target, target.name, join(folder, "platen"));
  for (const path of FILES) await cp(join(CHECKOUT, path), join(folder, basename(path)), { recursive: true });
  // Files of the checkout may be private.
  await runProgram(["chmod", "-R", "u=rwX,go=rX", folder]);
  return folder;
}

async function pack(folder: string): Promise<void> {
  await packTarball(`${folder}.tar.gz`, RELEASE, basename(folder));
}

async function checksums(): Promise<string> {
  const lines = (await readdir(RELEASE)).sort().map(async (name) => {
    const hash = new Bun.CryptoHasher("sha256");
    for await (const chunk of Bun.file(join(RELEASE, name)).stream()) hash.update(chunk);
    return `${hash.digest("hex")}  ${name}\n`;
  });
  return (await Promise.all(lines)).join("");
}
