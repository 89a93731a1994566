import sharp from "sharp";

/** A plain picture of this size, in any format sharp writes. */
export async function picture(
  width = 64,
  height = 48,
  format: "jpeg" | "png" | "webp" | "avif" | "gif" = "jpeg",
): Promise<Uint8Array<ArrayBuffer>> {
  const create = { width, height, channels: 3 as const, background: "#a0522d" };
  return new Uint8Array(await sharp({ create }).toFormat(format).toBuffer());
}

/** The upload form of interface.md: one file, and what else is given. */
export function uploadForm(
  file: Uint8Array<ArrayBuffer>,
  filename: string,
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("attachment[file]", new File([file], filename));
  return form;
}
