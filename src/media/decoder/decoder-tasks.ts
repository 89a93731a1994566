import type { Format } from "../files/file-formats";

/** The argument that starts the program as a decoder. Not a user command. */
export const DECODER = "decode-pictures";

/** Tasks and results. Files are passed by path. */
export interface Tasks {
  /** Reads an upload and writes the file to serve to `to` if it differs. */
  read: { asked: { path: string; format: Format; to: string; mostMemory: number }; done: PictureFile };
  convert: { asked: { path: string; to: string; mostMemory: number }; done: WrittenFile };
  /** Encodes the whole image again, upright. */
  encode: { asked: { path: string; format: Format; isMultiFrame: boolean; to: string }; done: WrittenFile };
  /** Makes the poster of a video. */
  poster: { asked: { path: string; to: string }; done: null };
  /** Estimates the memory to shrink the image. */
  measure: { asked: { path: string }; done: number };
  /** Makes renditions. Returns the placeholder as a `data:` URL, or null. */
  shrink: { asked: Shrinking; done: string | null };
  draw: { asked: { drawing: Drawing; to: string }; done: null };
}

export type TaskName = keyof Tasks;

/** @property dataFolder where the executable unpacks native libraries */
export type Task<Name extends TaskName = TaskName> = {
  [Each in TaskName]: { name: Each; dataFolder: string } & Tasks[Each]["asked"];
}[Name];

/** `code` is the system's error code, such as ENOSPC. */
export type DecoderOutcome = { done: unknown } | { pictureFault: string } | { failed: string; code?: string };

/** The image itself is at fault, so retrying is useless. The message follows a field name: "is damaged …". */
export class ImageError extends Error {}

export interface WrittenFile {
  readonly byteSize: number;
  readonly sha256: string;
}

export interface PictureFile {
  /** In pixels, after orientation. */
  readonly width: number;
  readonly height: number;
  readonly isMultiFrame: boolean;
  /** Also true if only one frame can be read. */
  readonly isAnimated: boolean;
  /** What is served: the upload, another file, or one still to be encoded. */
  readonly served: "upload" | WrittenFile | "encoded";
  /** Bytes of memory to shrink it, and to encode it again. */
  readonly need: number;
  readonly needOfWhole: number;
}

export interface Shrinking {
  from: { path: string } | { svg: string };
  /** WebP files; a width of null is the thumbnail. */
  sizes: { name: string; width: number | null }[];
  folder: string;
  withPlaceholder: boolean;
}

/** An image to draw, from the background up. Lengths are in pixels. */
export interface Drawing {
  width: number;
  height: number;
  ground: string;
  /** A palette makes the file smaller. */
  hasPalette: boolean;
  layers: Layer[];
}

/** Centered by default. */
export type Layer = { left?: number; top?: number } & (
  | { svg: string }
  | { bar: string; width: number; height: number }
  | Words
);

interface Words {
  /** Pango markup by size. The first that fits in `highest` is drawn, else the last. */
  wordings: { markup: string; size: number }[];
  highest?: number;
  width?: number;
}
