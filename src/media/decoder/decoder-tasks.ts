import type { CardFont } from "../../themes/card-fonts";
import type { Format } from "../files/file-formats-and-limits";

/** Command-line argument that starts the program as a decoder. It is not a user command. */
export const DECODER = "decode-pictures";

/** Input and result of each task. Files are passed by path. */
export interface Tasks {
  /** Reads an upload. If only its metadata must be removed, writes the cleaned file to `to`. */
  read: { input: { path: string; format: Format; to: string; maxMemory: number }; done: PictureFile };
  convert: { input: { path: string; to: string; maxMemory: number }; done: WrittenFile };
  /** Re-encodes the image with its orientation applied. */
  encode: { input: { path: string; format: Format; isMultiFrame: boolean; to: string }; done: WrittenFile };
  poster: { input: { path: string; to: string }; done: null };
  /** Estimates the bytes of memory needed to shrink the image. */
  measure: { input: { path: string }; done: number };
  /** Makes a WebP rendition. Returns the placeholder as a `data:` URL, or null. */
  shrink: { input: ShrinkInput; done: string | null };
  draw: { input: { drawing: Drawing; to: string }; done: null };
}

export type TaskName = keyof Tasks;

/** @property dataFolder folder where the executable unpacks native libraries */
export type Task<Name extends TaskName = TaskName> = {
  [Each in TaskName]: { name: Each; dataFolder: string } & Tasks[Each]["input"];
}[Name];

/** Result of a task. `code` is the system's error code, such as ENOSPC. */
export type DecoderOutcome = { done: unknown } | { imageError: string } | { failed: string; code?: string };

/** The image itself is invalid, so a retry cannot help. The message follows a field name: "is damaged …". */
export class ImageError extends Error {}

export interface WrittenFile {
  readonly byteSize: number;
  readonly sha256: string;
}

export interface PictureFile {
  /** Width in pixels, after orientation. */
  readonly width: number;
  readonly height: number;
  readonly isMultiFrame: boolean;
  /** Whether the image is animated, even if only one frame can be read. */
  readonly isAnimated: boolean;
  /** The file to serve: the upload, a file that was written, or "encoded" if an `encode` task must make it. */
  readonly served: "upload" | WrittenFile | "encoded";
  /** Bytes of memory needed to shrink the image. `needToEncode` is for encoding it again. */
  readonly need: number;
  readonly needToEncode: number;
}

export interface ShrinkInput {
  from: { path: string } | { svg: string };
  to: string;
  /** null for the thumbnail. */
  width: number | null;
  crop?: Crop;
  withPlaceholder: boolean;
}

/** A part of a scaled image, in pixels. */
export interface Crop {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** An image to draw. The first layer is at the bottom, and lengths are in pixels. */
export interface Drawing {
  width: number;
  height: number;
  background: string;
  layers: Layer[];
}

/** A layer, centered unless `left` or `top` is set. */
export type Layer = { left?: number; top?: number } & ({ svg: string } | TextLayer);

interface TextLayer {
  /**
   * Pango markup and font size. Draws the first candidate that fits into `maxHeight`, or the last if none
   * fits.
   */
  candidates: { markup: string; size: number }[];
  font: CardFont;
  maxHeight?: number;
  width?: number;
}
