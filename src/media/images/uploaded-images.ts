import { rename } from "node:fs/promises";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { DecoderEnded } from "../decoder/decoder-process";
import { ImageError, type PictureFile, type WrittenFile } from "../decoder/decoder-tasks";
import { runDecoderTask, SMALL_TASK_BYTES } from "../decoder/decoding";
import { decodingLimits } from "../decoder/memory-estimate";
import { type Format, JPEG } from "../files/file-formats";

/** An upload in the incoming folder. */
interface Upload extends WrittenFile {
  readonly path: string;
  readonly format: Format;
}

/** An uploaded image as it will be served. */
interface ReadableImage extends WrittenFile {
  /** Pixels as shown, after orientation. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/**
 * Reads an uploaded image and makes the file that is served: without metadata, which may tell where a photo was taken. A
 * JPEG keeps the one tag that browsers turn it by; others must be turned themselves and are encoded anew.
 * @param served where that file will be
 * @param original where the upload will be if it is another
 * @throws Refusal on `file`: damaged, too many pixels, made to take long, or more than there is memory for
 */
export async function readUploadedImage(
  platen: Platen,
  received: Upload,
  served: string,
  original: string,
): Promise<ReadableImage> {
  const { upload, width, height, isAnimated, written } = await refusedOn("file", async () => {
    const upload = await withoutHeic(platen, received);
    const read = await readPicture(platen, upload, served);
    if (read.served !== "encoded") return { upload, ...read, written: read.served };
    const asked = { path: upload.path, format: upload.format, isMultiFrame: read.isMultiFrame, to: served };
    return {
      upload,
      ...read,
      written: await runDecoderTask(platen, "encode", asked, { need: read.needOfWhole }),
    };
  });
  await rename(upload.path, written === "upload" ? served : original);
  const { byteSize, sha256 } = written === "upload" ? upload : written;
  return { width, height, isAnimated, byteSize, sha256 };
}

/** Writes the still picture shown before a video plays, as WebP. @throws Refusal on `poster` */
export async function writePoster(platen: Platen, received: Upload, to: string): Promise<void> {
  await refusedOn("poster", async () => {
    const upload = await withoutHeic(platen, received);
    const { need } = await readPicture(platen, upload, to);
    await runDecoderTask(platen, "poster", { path: upload.path, to }, { need });
  });
}

/** Browsers show no HEIC: a JPEG takes its place. Nothing else is decoded meanwhile, for the file does not tell its need. */
async function withoutHeic(platen: Platen, upload: Upload): Promise<Upload> {
  const { path, format } = upload;
  if (format.name !== "heic") return upload;
  const { alone } = decodingLimits(platen.config.memory);
  const to = `${path}-jpeg`;
  const jpeg = await runDecoderTask(platen, "convert", { path, to, mostMemory: alone }, { need: alone });
  await rename(to, path);
  return { path, format: JPEG, ...jpeg };
}

/** The whole file is held, and once more without its metadata. */
async function readPicture(
  platen: Platen,
  { path, format, byteSize }: Upload,
  to: string,
): Promise<PictureFile> {
  const mostMemory = decodingLimits(platen.config.memory).alone;
  return await runDecoderTask(
    platen,
    "read",
    { path, format, to, mostMemory },
    { need: SMALL_TASK_BYTES + 3 * byteSize },
  );
}

async function refusedOn<Result>(field: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof ImageError) throw invalid({ [field]: [fault.message] });
    if (fault instanceof DecoderEnded)
      throw invalid({ [field]: ["cannot be read as an image: what decodes it dies of it"] });
    throw fault;
  }
}
