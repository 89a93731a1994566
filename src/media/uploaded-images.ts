import { rename } from "node:fs/promises";
import { invalid } from "../errors";
import type { Platen } from "../platen";
import { ImageError, type WrittenFile } from "./decoder/decoder-tasks";
import { DecoderEnded, decodingLimits, runDecoderTask, SMALL_TASK_BYTES } from "./decoder/decoding";
import { type Format, JPEG } from "./files/file-formats-and-limits";

interface Upload extends WrittenFile {
  readonly path: string;
  readonly format: Format;
}

/**
 * Removes metadata, which may reveal the location.
 * @param served path of the file to serve
 * @param original path for the upload if another file is served
 * @throws Refusal: invalid for `file`; throttled
 */
export async function readUploadedImage(platen: Platen, received: Upload, served: string, original: string) {
  const { upload, width, height, isAnimated, written } = await imageErrorsAsRefusals("file", async () => {
    const upload = await convertIfHeic(platen, received);
    const read = await readPicture(platen, upload, served);
    if (read.served !== "encoded") return { upload, ...read, written: read.served };
    const input = { path: upload.path, format: upload.format, isMultiFrame: read.isMultiFrame, to: served };
    const written = await runDecoderTask(platen, "encode", input, { need: read.needToEncode });
    return { upload, ...read, written };
  });
  await rename(upload.path, written === "upload" ? served : original);
  const { byteSize, sha256 } = written === "upload" ? upload : written;
  return { width, height, isAnimated, byteSize, sha256 };
}

export async function writePoster(platen: Platen, received: Upload, to: string): Promise<void> {
  await imageErrorsAsRefusals("poster", async () => {
    const upload = await convertIfHeic(platen, received);
    const { need } = await readPicture(platen, upload, to);
    await runDecoderTask(platen, "poster", { path: upload.path, to }, { need });
  });
}

/** Most browsers cannot show HEIC. The conversion runs alone, because its memory use is unknown. */
async function convertIfHeic(platen: Platen, upload: Upload): Promise<Upload> {
  const { path, format } = upload;
  if (format.name !== "heic") return upload;
  const { alone } = decodingLimits(platen.config.memory);
  const to = `${path}-jpeg`;
  const jpeg = await runDecoderTask(platen, "convert", { path, to, maxMemory: alone }, { need: alone });
  await rename(to, path);
  return { path, format: JPEG, ...jpeg };
}

async function readPicture(platen: Platen, { path, format, byteSize }: Upload, to: string) {
  const maxMemory = decodingLimits(platen.config.memory).alone;
  const need = SMALL_TASK_BYTES + 3 * byteSize;
  return await runDecoderTask(platen, "read", { path, format, to, maxMemory }, { need });
}

async function imageErrorsAsRefusals<Result>(field: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImageError) throw invalid({ [field]: [error.message] });
    if (error instanceof DecoderEnded) throw invalid({ [field]: ["cannot be decoded"] });
    throw error;
  }
}
