import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import font from "@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf" with { type: "file" };
import type sharpModule from "sharp";
import { writeAtomically } from "../../media/files/media-folder";
import { inImagePool } from "../../media/images/image-pool";
import { loadSharp } from "../../media/images/sharp";
import type { Platen } from "../../platen";

const FONT_NAME = "inter-bold.ttf";

/** What an image is drawn with. */
export interface DrawingTools {
  sharp: typeof sharpModule;
  /** Path of a font file: the machine may have no fonts. */
  fontfile: string;
}

type Draw = (tools: DrawingTools) => Promise<Uint8Array>;

const jobsOf = new WeakMap<Platen, Map<string, Promise<Uint8Array<ArrayBuffer>>>>();

/**
 * A PNG that is drawn when it is first asked for and kept in the data folder.
 * @param subject names the file: "card-7"; drawing a new one removes the old ones of the same subject
 * @param fingerprint hash of everything it is drawn from
 */
export function drawnOnce(platen: Platen, subject: string, fingerprint: string, draw: Draw) {
  const jobs = jobsOf.get(platen) ?? new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  jobsOf.set(platen, jobs);
  const name = `${subject}.${fingerprint}.png`;
  const job = jobs.get(name) ?? readOrDraw(platen, subject, name, draw).finally(() => jobs.delete(name));
  jobs.set(name, job);
  return job;
}

async function readOrDraw(platen: Platen, subject: string, name: string, draw: Draw) {
  const kept = await readFile(join(folderOf(platen), name)).catch(() => null);
  if (kept) return new Uint8Array(kept);
  const tools = await drawingTools(platen);
  const drawn = new Uint8Array(await inImagePool(platen, () => draw(tools)));
  await removeOthers(platen, subject);
  await writeAtomically(join(folderOf(platen), name), [drawn]);
  return drawn;
}

async function drawingTools(platen: Platen): Promise<DrawingTools> {
  const sharp = await loadSharp(platen.config.data);
  await mkdir(folderOf(platen), { recursive: true });
  return { sharp, fontfile: Bun.isStandaloneExecutable ? await unpackedFont(platen) : font };
}

/** The library that draws text cannot read a file inside the executable. It reads a font once for the whole process. */
async function unpackedFont(platen: Platen): Promise<string> {
  const path = join(folderOf(platen), FONT_NAME);
  const carried = Bun.file(font);
  if (Bun.file(path).size !== carried.size) await writeAtomically(path, [await carried.bytes()]);
  return path;
}

async function removeOthers(platen: Platen, subject: string): Promise<void> {
  for (const name of await readdir(folderOf(platen)))
    if (name.startsWith(`${subject}.`)) await rm(join(folderOf(platen), name), { force: true });
}

function folderOf(platen: Platen): string {
  return join(platen.config.data, "pictures");
}
