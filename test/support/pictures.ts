import sharp from "sharp";

/** Creates a plain picture in a format of sharp. */
export async function picture(
  width = 64,
  height = 48,
  format: "jpeg" | "png" | "webp" | "avif" | "gif" = "jpeg",
  background = "#a0522d",
): Promise<Uint8Array<ArrayBuffer>> {
  const create = { width, height, channels: 3 as const, background };
  return new Uint8Array(await sharp({ create }).toFormat(format).toBuffer());
}

/** An upload form with one file and other fields. */
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
