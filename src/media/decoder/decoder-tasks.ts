import type { CardFont } from "../../themes/card-fonts";
import type { Format } from "../files/file-formats";

/** Command-line argument that starts the program as a decoder. It is not a user command. */
export const DECODER = "decode-pictures";

/** Tasks and their results. Tasks pass files by path. */
export interface Tasks {
  /** Reads an upload. If the file to serve differs from the upload, writes it to `to`. */
  read: { input: { path: string; format: Format; to: string; maxMemory: number }; done: PictureFile };
  convert: { input: { path: string; to: string; maxMemory: number }; done: WrittenFile };
  /** Encodes the whole image again, with its orientation applied. */
  encode: { input: { path: string; format: Format; isMultiFrame: boolean; to: string }; done: WrittenFile };
  /** Makes the poster of a video. */
  poster: { input: { path: string; to: string }; done: null };
  /** Estimates the bytes of memory needed to shrink the image. */
  measure: { input: { path: string }; done: number };
  /** Makes renditions. Returns the placeholder as a `data:` URL, or null. */
  shrink: { input: Shrinking; done: string | null };
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
  /** The file to serve: the upload, another file, or one that is still to be encoded. */
  readonly served: "upload" | WrittenFile | "encoded";
  /** Bytes of memory needed to shrink the image. `needOfWhole` is for encoding it again. */
  readonly need: number;
  readonly needOfWhole: number;
}

export interface Shrinking {
  from: { path: string } | { svg: string };
  /** WebP renditions to make. A width of null means the thumbnail. */
  sizes: { name: string; width: number | null; crop?: Crop }[];
  folder: string;
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
  ground: string;
  /** Whether to encode with a palette, which makes the file smaller. */
  hasPalette: boolean;
  layers: Layer[];
}

/** A layer. It is centered by default. */
export type Layer = { left?: number; top?: number } & (
  | { svg: string }
  | { bar: string; width: number; height: number }
  | Words
);

interface Words {
  /** Pango markup and its size. Draws the first wording that is no taller than `highest`, or else the last. */
  wordings: { markup: string; size: number }[];
  font: CardFont;
  highest?: number;
  width?: number;
}
