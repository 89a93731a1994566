import type { Format } from "./file-formats-and-limits";

/** UTF-8 bytes, with extension and number. File systems allow 255. */
const MAX_FILENAME_BYTES = 150;

/** The result is never empty, hidden or a path. */
export function tidyFilename(clientName: string, format: Format): string {
  // Browsers and curl encode a quote as %22 (WHATWG HTML, multipart/form-data).
  const base = clientName
    .replaceAll("%22", '"')
    .replace(/^.*[/\\]/s, "")
    .normalize("NFC");
  // Category C includes control characters, direction marks, and lone surrogates, which a URL cannot contain.
  const shown = base.replace(/\p{C}/gu, "").replace(/\s+/g, " ");
  const { stem, extension } = splitFilename(shown);
  const visible = stem.replace(/^[. ]+/, "").trim();
  const hasFormatExtension = format.extensions.includes(extension.toLowerCase());
  return joinFilename(visible || format.mediaType, hasFormatExtension ? extension : format.extensions[0]);
}

export function numberFilename(filename: string, number: number): string {
  const { stem, extension } = splitFilename(filename);
  return joinFilename(stem, extension, `-${number}`);
}

function splitFilename(name: string): { stem: string; extension: string } {
  const match = /^(.*)\.([A-Za-z0-9]{1,5})$/.exec(name);
  return { stem: match?.[1] ?? name, extension: match?.[2] ?? "" };
}

function joinFilename(stem: string, extension: string, number = ""): string {
  const tail = `${number}.${extension}`;
  let characters = Array.from(stem);
  while (Buffer.byteLength(characters.join("") + tail) > MAX_FILENAME_BYTES)
    characters = characters.slice(0, -1);
  return characters.join("") + tail;
}
