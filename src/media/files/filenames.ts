import { UNTRIMMED_FACTOR } from "../../config/request-limits";
import { invalid } from "../../errors";
import { cleanText } from "../../text/clean-text";
import type { Format } from "./file-formats";

/** In bytes of UTF-8, extension and number included; file systems take 255. */
const MAX_FILENAME_BYTES = 150;

/**
 * A name that may lie on disk and in an address: the client's own as far as it goes, its extension that of the
 * sniffed type. Never empty, never hidden, never a path.
 */
export function tidyFilename(clientName: string, format: Format): string {
  // Browsers and curl write a quote as %22 in a form (WHATWG HTML, multipart/form-data).
  const base = clientName
    .replaceAll("%22", '"')
    .replace(/^.*[/\\]/s, "")
    .normalize("NFC");
  // Category C holds control and direction marks, and lone surrogates, which no address can spell.
  const shown = base.replace(/\p{C}/gu, "").replace(/\s+/g, " ");
  const { stem, extension } = split(shown);
  const visible = stem.replace(/^[. ]+/, "").trim();
  const isRight = format.extensions.includes(extension.toLowerCase());
  return fitted(visible || format.mediaType, isRight ? extension : format.extensions[0]);
}

/** `cat.jpg` → `cat-2.jpg`: what the second file of a name is called. */
export function numberFilename(filename: string, number: number): string {
  const { stem, extension } = split(filename);
  return fitted(stem, extension, `-${number}`);
}

function split(name: string): { stem: string; extension: string } {
  const match = /^(.*)\.([A-Za-z0-9]{1,5})$/.exec(name);
  return { stem: match?.[1] ?? name, extension: match?.[2] ?? "" };
}

function fitted(stem: string, extension: string, number = ""): string {
  const tail = `${number}.${extension}`;
  let characters = Array.from(stem);
  while (Buffer.byteLength(characters.join("") + tail) > MAX_FILENAME_BYTES)
    characters = characters.slice(0, -1);
  return characters.join("") + tail;
}

/** In characters, without control characters and space around. */
const MAX_CAPTION_LENGTH = 10_000;

/** An upload's caption as it is kept. @throws Refusal (invalid) naming `caption` */
export function checkCaption(text: string): string {
  const caption = text.length <= UNTRIMMED_FACTOR * MAX_CAPTION_LENGTH ? cleanText(text).trim() : text;
  if (caption.length > MAX_CAPTION_LENGTH)
    throw invalid({ caption: [`must be at most ${MAX_CAPTION_LENGTH} characters`] });
  return caption;
}
