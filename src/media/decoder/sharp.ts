import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type sharpModule from "sharp";
import { type NativeLibrary, nativeLibraries } from "../../runtime/embedded-files";
import { chownToFolderOwner } from "../../runtime/files";
import { writeAtomically } from "../files/media-folder";

export type Sharp = typeof sharpModule;

let loading: Promise<Sharp> | null = null;

/** Loads sharp at its first use, so that the server starts fast. */
export function loadSharp(dataFolder: string): Promise<Sharp> {
  loading ??= load(dataFolder).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load(dataFolder: string): Promise<Sharp> {
  await unpackNativeLibraries(dataFolder);
  const { default: sharp } = await import("sharp");
  // One thread and no cache, because pages need the same cores and memory.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

/** Per process, because a process loads a library only once. */
let unpackedTo: string | null = null;

/** Uses the data folder, because other users could replace libraries in a temporary folder. */
export async function unpackNativeLibraries(dataFolder: string): Promise<void> {
  if (nativeLibraries.length === 0) return;
  const runtime = join(dataFolder, ".runtime");
  const version = digest(nativeLibraries.map((native) => native.sha256).join()).slice(0, 16);
  const folder = join(runtime, version);
  for (const native of nativeLibraries) await unpack(native, folder);
  chownToFolderOwner(dataFolder, runtime);
  await removeOthers(runtime, version);
  unpackedTo = folder;
}

/** The loader in the executable calls this function (packaging/embedded-assets.ts). */
export function addonPath(): string {
  const addon = nativeLibraries.find((native) => native.path.endsWith(".node"));
  if (!addon || !unpackedTo) throw new Error("sharp was loaded before its libraries were unpacked.");
  return join(unpackedTo, addon.path);
}

async function unpack(native: NativeLibrary, folder: string): Promise<void> {
  const path = join(folder, native.path);
  const existing = await readFile(path).catch(() => null);
  if (existing && digest(existing) === native.sha256) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeAtomically(path, [await Bun.zstdDecompress(await readFile(native.embeddedPath))]);
}

async function removeOthers(runtime: string, version: string): Promise<void> {
  for (const name of await readdir(runtime))
    if (name !== version) await rm(join(runtime, name), { recursive: true, force: true });
}

function digest(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}
