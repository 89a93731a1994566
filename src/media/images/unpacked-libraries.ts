import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeWhole } from "../files/media-folder";
import { type Native, natives } from "./native-libraries";

/** A process can load a library only once, so where it lies is a matter of the process. */
let unpackedTo: string | null = null;

/**
 * Writes the libraries the executable carries where the system can load them: into the data folder, which nobody else
 * can write to. A shared temporary folder would let another user plant a library of theirs. Does nothing in a checkout.
 */
export async function unpackNatives(dataFolder: string): Promise<void> {
  if (natives.length === 0) return;
  const runtime = join(dataFolder, ".runtime");
  const version = digest(natives.map((native) => native.sha256).join()).slice(0, 16);
  const folder = join(runtime, version);
  for (const native of natives) await unpack(native, folder);
  await removeOthers(runtime, version);
  unpackedTo = folder;
}

/** The addon's path for the loader that stands in for sharp's own inside the executable. */
export function addonPath(): string {
  const addon = natives.find((native) => native.path.endsWith(".node"));
  if (!addon || !unpackedTo) throw new Error("sharp was loaded before its libraries were unpacked.");
  return join(unpackedTo, addon.path);
}

async function unpack(native: Native, folder: string): Promise<void> {
  const path = join(folder, native.path);
  const there = await readFile(path).catch(() => null);
  if (there && digest(there) === native.sha256) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeWhole(path, [await readFile(native.carried)]);
}

/** Those of the versions that ran here before. */
async function removeOthers(runtime: string, version: string): Promise<void> {
  for (const name of await readdir(runtime))
    if (name !== version) await rm(join(runtime, name), { recursive: true, force: true });
}

function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
