import type { CardFont } from "../../themes/card-fonts";
import type { Format } from "../files/file-formats-and-limits";

export const DECODER = "decode-pictures";

export interface Tasks {
  /** If only the metadata must be removed, writes the cleaned file to `to`. */
  read: { input: { path: string; format: Format; to: string; maxMemory: number }; done: PictureFile };
  convert: { input: { path: string; to: string; maxMemory: number }; done: WrittenFile };
  encode: { input: { path: string; format: Format; isMultiFrame: boolean; to: string }; done: WrittenFile };
  poster: { input: { path: string; to: string }; done: null };
  measure: { input: { path: string }; done: number };
  shrink: { input: ShrinkInput; done: string | null };
  draw: { input: { drawing: Drawing; to: string }; done: null };
}

export type TaskName = keyof Tasks;

export type Task<Name extends TaskName = TaskName> = {
  [Each in TaskName]: { name: Each; dataFolder: string } & Tasks[Each]["input"];
}[Name];

export type DecoderOutcome = { done: unknown } | { imageError: string } | { failed: string; code?: string };

/** A retry cannot help. The message follows a field name, such as "is damaged". */
export class ImageError extends Error {}

export interface WrittenFile {
  readonly byteSize: number;
  readonly sha256: string;
}

export interface PictureFile {
  readonly width: number;
  readonly height: number;
  readonly isMultiFrame: boolean;
  readonly isAnimated: boolean;
  /** File to serve: the upload, a written file, or "encoded" if an `encode` task must write the file. */
  readonly served: "upload" | WrittenFile | "encoded";
  /** Bytes of memory needed to shrink the image; `needToEncode`: to encode the image again. */
  readonly need: number;
  readonly needToEncode: number;
}

export interface ShrinkInput {
  from: { path: string } | { svg: string };
  to: string;
  width: number | null;
  crop?: { left: number; top: number; width: number; height: number };
  withPlaceholder: boolean;
}

/** The first layer is at the bottom. Lengths are in pixels. */
export interface Drawing {
  width: number;
  height: number;
  background: string;
  layers: Layer[];
}

export type Layer = { left?: number; top?: number } & ({ svg: string } | TextLayer);

interface TextLayer {
  /** Pango markup and font size. The first that fits into `maxHeight` is drawn, otherwise the last. */
  candidates: { markup: string; size: number }[];
  font: CardFont;
  maxHeight?: number;
  width?: number;
}
