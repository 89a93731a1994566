import { dirname, join } from "node:path";
import type { OutputInfo, OverlayOptions } from "sharp";
import { CARD_FONTS, type CardFont } from "../../themes/card-fonts";
import { writeAtomically } from "../files/media-folder";
import { loadSharp } from "../sharp/sharp";
import type { Layer, Task } from "./decoder-tasks";

type Sharp = Awaited<ReturnType<typeof loadSharp>>;

export async function draw({ drawing, to, dataFolder }: Task<"draw">): Promise<null> {
  const sharp = await loadSharp(dataFolder);
  const layers: OverlayOptions[] = [];
  for (const layer of drawing.layers)
    layers.push({ ...(await inputOf(sharp, layer, dirname(to))), left: layer.left, top: layer.top });
  const { width, height, ground, hasPalette } = drawing;
  const drawn = sharp({ create: { width, height, channels: 3, background: ground } })
    .composite(layers)
    .png({ palette: hasPalette });
  await writeAtomically(to, [await drawn.toBuffer()]);
  return null;
}

async function inputOf(sharp: Sharp, layer: Layer, folder: string): Promise<OverlayOptions> {
  if ("svg" in layer) return { input: Buffer.from(layer.svg) };
  if ("bar" in layer) {
    const { width, height, bar } = layer;
    return { input: { create: { width, height, channels: 3, background: bar } } };
  }
  const { pango } = CARD_FONTS[layer.font];
  const fontfile = await fontFileOf(layer.font, folder);
  let drawn: { data: Buffer; info: OutputInfo } | undefined;
  for (const { markup, size } of layer.wordings) {
    const font = `${pango} ${size}`;
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
async function fontFileOf(name: CardFont, folder: string): Promise<string> {
  const { file } = CARD_FONTS[name];
  if (!Bun.isStandaloneExecutable) return file;
  const path = join(folder, `${name}.ttf`);
  const carried = Bun.file(file);
  if (Bun.file(path).size !== carried.size) await writeAtomically(path, [await carried.bytes()]);
  return path;
}
