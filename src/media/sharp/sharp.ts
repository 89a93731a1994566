import type sharpModule from "sharp";
import { unpackNativeLibraries } from "./unpacked-libraries";

type Sharp = typeof sharpModule;

let loading: Promise<Sharp> | null = null;

/**
 * Image processing, loaded at its first use: the program starts without it.
 * @param dataFolder where the executable unpacks the libraries it carries
 */
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
  // One thread a picture and nothing kept between them: pages are served from the same cores and memory.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
