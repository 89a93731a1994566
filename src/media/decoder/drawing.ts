import { join } from "node:path";
import font from "@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf" with { type: "file" };
import type { OutputInfo, OverlayOptions } from "sharp";
import { writeAtomically } from "../files/media-folder";
import { loadSharp } from "../sharp/sharp";
import type { Layer, Task } from "./decoder-tasks";

const FONT_NAME = "inter-bold.ttf";

type Sharp = Awaited<ReturnType<typeof loadSharp>>;

export async function draw({ drawing, to, dataFolder }: Task<"draw">): Promise<null> {
  const sharp = await loadSharp(dataFolder);
  const fontfile = Bun.isStandaloneExecutable ? await unpackedFont(join(to, "..")) : font;
  const layers: OverlayOptions[] = [];
  for (const layer of drawing.layers)
    layers.push({ ...(await inputOf(sharp, layer, fontfile)), left: layer.left, top: layer.top });
  const { width, height, ground, hasPalette } = drawing;
  const drawn = sharp({ create: { width, height, channels: 3, background: ground } })
    .composite(layers)
    .png({ palette: hasPalette });
  await writeAtomically(to, [await drawn.toBuffer()]);
  return null;
}

async function inputOf(sharp: Sharp, layer: Layer, fontfile: string): Promise<OverlayOptions> {
  if ("svg" in layer) return { input: Buffer.from(layer.svg) };
  if ("bar" in layer) {
    const { width, height, bar } = layer;
    return { input: { create: { width, height, channels: 3, background: bar } } };
  }
  let drawn: { data: Buffer; info: OutputInfo } | undefined;
  for (const { markup, size } of layer.wordings) {
    const font = `Inter Bold ${size}`;
    const text = {
      text: markup,
      font,
      fontfile,
      width: layer.width,
      dpi: 72,
      rgba: true,
      wrap: "word-char",
    } as const;
    drawn = await sharp({ text }).png().toBuffer({ resolveWithObject: true });
    if (drawn.info.height <= (layer.highest ?? Number.POSITIVE_INFINITY)) break;
  }
  return { input: drawn?.data };
}

/** Unpacks the font, because Pango cannot read a file inside the executable. */
async function unpackedFont(folder: string): Promise<string> {
  const path = join(folder, FONT_NAME);
  const carried = Bun.file(font);
  if (Bun.file(path).size !== carried.size) await writeAtomically(path, [await carried.bytes()]);
  return path;
}
