import type { Format } from "../files/file-formats";

/** The word that starts the program as a decoder; no command that anybody types. */
export const DECODER = "decode-pictures";

/** What the decoder does: what it is asked, and what comes back. Files go by their paths, never by their bytes. */
export interface Tasks {
  /** Reads an upload and writes to `to` what is to be served, where that is not the upload itself. */
  read: { asked: { path: string; format: Format; to: string; mostMemory: number }; done: PictureFile };
  /** Makes a JPEG of a HEIC. */
  convert: { asked: { path: string; to: string; mostMemory: number }; done: WrittenFile };
  /** Encodes the whole picture anew, upright. */
  encode: { asked: { path: string; format: Format; isMultiFrame: boolean; to: string }; done: WrittenFile };
  /** Makes the still picture shown before a video plays. */
  poster: { asked: { path: string; to: string }; done: null };
  /** Tells the memory that shrinking the picture takes, in bytes. */
  measure: { asked: { path: string }; done: number };
  /** Makes small pictures of a large one; comes back with the placeholder, a `data:` URL, or null where it gets none. */
  shrink: { asked: Shrinking; done: string | null };
  draw: { asked: { drawing: Drawing; to: string }; done: null };
}

export type TaskName = keyof Tasks;

/** @property dataFolder where the executable unpacks what it carries */
export type Task<Name extends TaskName = TaskName> = {
  [Each in TaskName]: { name: Each; dataFolder: string } & Tasks[Each]["asked"];
}[Name];

/** `code` is the system's word for what failed: ENOSPC. */
export type DecoderOutcome = { done: unknown } | { pictureFault: string } | { failed: string; code?: string };

/** The picture itself is at fault and will be the next time; the message follows the name of a field: "is damaged …". */
export class ImageError extends Error {}

/** A file that was written. */
export interface WrittenFile {
  readonly byteSize: number;
  /** Hex. */
  readonly sha256: string;
}

/** What an upload is as a picture. */
export interface PictureFile {
  /** Pixels as shown, after orientation. */
  readonly width: number;
  readonly height: number;
  readonly isMultiFrame: boolean;
  /** Also where only one of its frames can be read. */
  readonly isAnimated: boolean;
  /** What is to be served: the upload itself, what was written in its place, or what is yet to be encoded. */
  readonly served: "upload" | WrittenFile | "encoded";
  /** Memory that shrinking it takes, and encoding it, in bytes. */
  readonly need: number;
  readonly needOfWhole: number;
}

export interface Shrinking {
  /** A file, or the text of an SVG of ours. */
  from: { path: string } | { svg: string };
  /** WebP files to be made: their names, and widths in pixels or null for the thumbnail. */
  sizes: { name: string; width: number | null }[];
  /** The folder, which is there, that they are written to. */
  folder: string;
  withPlaceholder: boolean;
}

/** A picture that is drawn, from its ground upwards; all lengths in pixels. */
export interface Drawing {
  width: number;
  height: number;
  /** CSS colour. */
  ground: string;
  /** With a palette the file is smaller. */
  hasPalette: boolean;
  layers: Layer[];
}

/** In the middle where no place is given. */
export type Layer = { left?: number; top?: number } & (
  | { svg: string }
  | { bar: string; width: number; height: number }
  | Words
);

interface Words {
  /** Pango markup, each in its size: the first that is no higher than `highest` is drawn, else the last. */
  wordings: { markup: string; size: number }[];
  highest?: number;
  /** Broken into lines no longer than this. */
  width?: number;
}
