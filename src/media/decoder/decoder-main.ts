import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import type { OutputInfo, OverlayOptions } from "sharp";
import { chownToFolderOwner } from "../../runtime/files";
import { CARD_FONTS, type CardFont } from "../../themes/card-fonts";
import { writeAtomically } from "../files/media-folder";
import type { DecoderOutcome, Layer, Task, TaskName, Tasks } from "./decoder-tasks";
import { ImageError } from "./decoder-tasks";
import { encodePicture, makePoster, shrink } from "./encoding-pictures";
import { convertHeic } from "./heic-conversion";
import { measureMemory, readPicture } from "./reading-pictures";
import { loadSharp, type Sharp } from "./sharp";

export async function decodePictures(): Promise<number> {
  lowerPriority();
  const disconnected = new Promise<void>((resolve) => process.once("disconnect", resolve));
  process.on("message", async ({ id, task }: { id: number; task: Task }) => {
    const outcome = await runTask(task);
    if (process.connected) process.send?.({ id, outcome });
    // The garbage collector does not count the native memory of files and pixels.
    Bun.gc(true);
  });
  await disconnected;
  return 0;
}

/** The server's requests come first. If memory runs out, the kernel kills the decoder first. */
function lowerPriority(): void {
  try {
    setPriority(19);
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Some systems do not support or permit these changes.
  }
}

const TASKS: { [Name in TaskName]: (task: Task<Name>) => Promise<Tasks[Name]["done"]> } = {
  read: readPicture,
  convert: convertHeic,
  encode: encodePicture,
  poster: makePoster,
  measure: measureMemory,
  shrink,
  draw,
};

async function runTask(task: Task): Promise<DecoderOutcome> {
  try {
    const perform = TASKS[task.name] as (task: Task) => Promise<unknown>;
    return { done: await perform(task) };
  } catch (error) {
    if (error instanceof ImageError) return { imageError: error.message };
    const { message, code } = error as Error & { code?: string };
    return { failed: message, code };
  }
}

async function draw({ drawing, to, dataFolder }: Task<"draw">): Promise<null> {
  const sharp = await loadSharp(dataFolder);
  const layers: OverlayOptions[] = [];
  for (const layer of drawing.layers)
    layers.push({ ...(await overlayInput(sharp, layer, dirname(to))), left: layer.left, top: layer.top });
  const { width, height, background } = drawing;
  const drawn = sharp({ create: { width, height, channels: 3, background } })
    .composite(layers)
    .png({ palette: true });
  await writeAtomically(to, [await drawn.toBuffer()]);
  return null;
}

async function overlayInput(sharp: Sharp, layer: Layer, folder: string): Promise<OverlayOptions> {
  if ("svg" in layer) return { input: Buffer.from(layer.svg) };
  const { pango } = CARD_FONTS[layer.font];
  const fontfile = await unpackFont(layer.font, folder);
  const options = { fontfile, width: layer.width, dpi: 72, rgba: true, wrap: "word-char" } as const;
  let drawn: { data: Buffer; info: OutputInfo } | undefined;
  for (const { markup, size } of layer.candidates) {
    const text = { ...options, text: markup, font: `${pango} ${size}` };
    drawn = await sharp({ text }).png().toBuffer({ resolveWithObject: true });
    if (drawn.info.height <= (layer.maxHeight ?? Number.POSITIVE_INFINITY)) break;
  }
  return { input: drawn?.data };
}

/** Pango cannot read a file inside the executable. */
async function unpackFont(name: CardFont, folder: string): Promise<string> {
  const { file } = CARD_FONTS[name];
  if (!Bun.isStandaloneExecutable) return file;
  const path = join(folder, `${name}.ttf`);
  const embedded = Bun.file(file);
  if (Bun.file(path).size === embedded.size) return path;
  await writeAtomically(path, [await embedded.bytes()]);
  chownToFolderOwner(folder, path);
  return path;
}
