import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import font from "@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf" with { type: "file" };
import type sharpModule from "sharp";
import { writeWhole } from "../../media/files/media-folder";
import { inLane } from "../../media/images/image-pool";
import { loadSharp } from "../../media/images/sharp";
import type { Platen } from "../../platen";

const FONT_NAME = "inter-bold.ttf";

/** What a picture is drawn with. */
export interface Pencils {
  sharp: typeof sharpModule;
  /** Path of a font file; machines that serve need have no fonts of their own. */
  fontfile: string;
}

type Draw = (pencils: Pencils) => Promise<Uint8Array>;

const jobsOf = new WeakMap<Platen, Map<string, Promise<Uint8Array<ArrayBuffer>>>>();

/**
 * A picture drawn once and kept in the data folder.
 * @param subject what it is of; when a new one is drawn, the old ones of the same subject go
 * @param look everything it is drawn from, in a few characters
 */
export function keptPicture(platen: Platen, subject: string, look: string, draw: Draw) {
  const jobs = jobsOf.get(platen) ?? new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  jobsOf.set(platen, jobs);
  const name = `${subject}.${look}.png`;
  const job = jobs.get(name) ?? readOrDraw(platen, subject, name, draw).finally(() => jobs.delete(name));
  jobs.set(name, job);
  return job;
}

async function readOrDraw(platen: Platen, subject: string, name: string, draw: Draw) {
  const kept = await readFile(join(folderOf(platen), name)).catch(() => null);
  if (kept) return new Uint8Array(kept);
  const pencils = await pencilsOf(platen);
  const drawn = new Uint8Array(await inLane(platen, () => draw(pencils)));
  await removeOthers(platen, subject);
  await writeWhole(join(folderOf(platen), name), [drawn]);
  return drawn;
}

async function pencilsOf(platen: Platen): Promise<Pencils> {
  const sharp = await loadSharp(platen.config.data);
  await mkdir(folderOf(platen), { recursive: true });
  return { sharp, fontfile: Bun.isStandaloneExecutable ? await unpackedFont(platen) : font };
}

/** What lies inside the executable, the library that draws text cannot read. It reads a font once for the whole process. */
async function unpackedFont(platen: Platen): Promise<string> {
  const path = join(folderOf(platen), FONT_NAME);
  const carried = Bun.file(font);
  if (Bun.file(path).size !== carried.size) await writeWhole(path, [await carried.bytes()]);
  return path;
}

async function removeOthers(platen: Platen, subject: string): Promise<void> {
  for (const name of await readdir(folderOf(platen)))
    if (name.startsWith(`${subject}.`)) await rm(join(folderOf(platen), name), { force: true });
}

function folderOf(platen: Platen): string {
  return join(platen.config.data, "pictures");
}
