import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CHECKOUT = join(import.meta.dir, "..");

const BUN_LICENSE = "node_modules/bun-types/docs/project/license.mdx";

/** Full texts of licenses that packages name but do not include. */
const FULL_TEXTS = "packaging/licenses";

/** Peer dependencies that only type checks need. */
const TYPES_ONLY = ["typescript"];

const RULE = `\n\n${"-".repeat(80)}\n\n`;

/** @param sharpModules the `node_modules` folder with sharp's packages for the target platform */
export function gatherNotices(sharpModules = join(CHECKOUT, "node_modules")): string {
  const fullTexts = readdirSync(join(CHECKOUT, FULL_TEXTS)).sort();
  return [
    "Platen contains the following software. Its licenses follow.",
    ...packagesIn(sharpModules).map(noticeOf),
    `Bun ${Bun.version} (MIT)\n\n${read(join(CHECKOUT, BUN_LICENSE))}`,
    ...fullTexts.map(
      (name) => `${name.replace(".txt", "")}, in full\n\n${read(join(CHECKOUT, FULL_TEXTS, name))}`,
    ),
  ].join(RULE);
}

interface Manifest {
  folder: string;
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Direct and indirect dependencies, by name. */
export function packagesIn(sharpModules: string): Manifest[] {
  const found = new Map<string, Manifest>();
  const visit = (name: string, from: string) => {
    const modules = name.startsWith("@img/sharp-") ? sharpModules : join(CHECKOUT, "node_modules");
    const folder = [join(from, "node_modules", name), join(modules, name)].find((path) => existsSync(path));
    if (!folder || TYPES_ONLY.includes(name)) return;
    const manifest = manifestOf(folder);
    const key = `${manifest.name} ${manifest.version}`;
    if (found.has(key)) return;
    found.set(key, manifest);
    for (const dependency of dependenciesOf(manifest)) visit(dependency, folder);
  };
  for (const name of dependenciesOf(manifestOf(CHECKOUT))) visit(name, CHECKOUT);
  return [...found].sort(([one], [other]) => one.localeCompare(other)).map(([, manifest]) => manifest);
}

function dependenciesOf(manifest: Manifest): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const peers = Object.keys(peerDependencies ?? {});
  const neededPeers = peers.filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...neededPeers];
}

function noticeOf({ folder, name, version, license = "see below", author }: Manifest): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const by = typeof author === "object" ? author.name : author;
  const texts = files.map((file) => read(join(folder, file)));
  if (texts.length === 0 && by) texts.push(`By ${by}`);
  if (texts.length === 0 || name.startsWith("@img/sharp-")) texts.push(licensingSection(folder));
  return [`${name} ${version} (${license})`, ...texts].filter(Boolean).join("\n\n");
}

/** Packages of libvips list the licenses of linked libraries in their README. */
function licensingSection(folder: string): string {
  const [, section = ""] = read(join(folder, "README.md")).split(/^## Licen[cs](?:e|ing)$/m);
  return section.split(/^## /m)[0]?.trim() ?? "";
}

function manifestOf(folder: string): Manifest {
  return { ...JSON.parse(read(join(folder, "package.json"))), folder };
}

/** @returns "" if the file is missing */
function read(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}
