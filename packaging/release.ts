/**
 * Makes what a release consists of in dist/release: `bun run release [--target TARGET]…`, for all targets unless some are
 * named. A tarball each, a Debian package for each Linux that Debian runs on, a list of what is inside (CycloneDX), and
 * SHA256SUMS of it all.
 */
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json";
import { compile } from "./compiling";
import { componentList } from "./component-list";
import { debianPackage } from "./debian-package";
import { BuildFault } from "./fault";
import { packTarball, run } from "./running";
import { TARGETS, type Target, targetNamed } from "./targets";

const CHECKOUT = join(import.meta.dir, "..");
const RELEASE = join(CHECKOUT, "dist/release");
/** What a tarball has beside the executable. */
const BESIDE = [
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "Caddyfile.example",
  "docs",
  "packaging/platen.service",
  "packaging/install.sh",
  "packaging/Containerfile",
];

process.exitCode = await release(Bun.argv.slice(2)).catch((fault: unknown) => {
  if (!(fault instanceof BuildFault)) throw fault;
  console.error(fault.message);
  return fault.exitCode;
});

async function release(args: string[]): Promise<number> {
  const targets = targetsIn(args);
  process.umask(0o022);
  await rm(RELEASE, { recursive: true, force: true });
  await mkdir(RELEASE, { recursive: true });
  for (const target of targets) {
    const folder = await unpacked(target);
    await pack(folder);
    // Debian's amd64 includes older machines: if both are made, its package has the baseline executable.
    const isForNewerOnly = target.name === "bun-linux-x64" && targets.some(isBaseline);
    if (target.debian && !isForNewerOnly) await debianPackage(target.debian, folder, RELEASE);
    await rm(folder, { recursive: true });
    console.log(`Made for ${target.name}.`);
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
  } catch (fault) {
    if (fault instanceof BuildFault) throw fault;
    throw new BuildFault("Type: bun run release [--target TARGET]…", 2);
  }
}

/** The folder that the tarball unpacks to. */
async function unpacked(target: Target): Promise<string> {
  const folder = join(RELEASE, `platen-${manifest.version}-${target.name.replace("bun-", "")}`);
  await mkdir(folder);
  await compile(target, target.name, join(folder, "platen"));
  for (const path of BESIDE)
    await cp(join(CHECKOUT, path), join(folder, basename(path)), { recursive: true });
  // Whoever made the checkout may have kept it to themselves.
  await run(["chmod", "-R", "u=rwX,go=rX", folder]);
  return folder;
}

async function pack(folder: string): Promise<void> {
  await packTarball(`${folder}.tar.gz`, RELEASE, basename(folder));
}

/** As `sha256sum --check` reads it. */
async function checksums(): Promise<string> {
  const lines = (await readdir(RELEASE)).sort().map(async (name) => {
    const hash = new Bun.CryptoHasher("sha256");
    for await (const chunk of Bun.file(join(RELEASE, name)).stream()) hash.update(chunk);
    return `${hash.digest("hex")}  ${name}\n`;
  });
  return (await Promise.all(lines)).join("");
}
