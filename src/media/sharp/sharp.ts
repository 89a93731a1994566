import type sharpModule from "sharp";
import { unpackNativeLibraries } from "./unpacked-libraries";

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
