import type { Sharp } from "sharp";
import type { loadSharp } from "../sharp/sharp";

export type SharpModule = Awaited<ReturnType<typeof loadSharp>>;

export interface Pixels {
  data: Buffer;
  raw: { width: number; height: number; channels: 1 | 2 | 3 | 4 };
}

export async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return { data, raw: { width: info.width, height: info.height, channels: info.channels } };
}

export function pictureOf(sharp: SharpModule, { data, raw }: Pixels): Sharp {
  return sharp(data, { raw });
}
