import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Drawing } from "../../media/decoder/decoder-tasks";
import { runDecoderTask, SMALL_TASK_BYTES } from "../../media/decoder/decoding";
import type { Platen } from "../../platen";
import { chownToFolderOwner } from "../../runtime/files";

/**
 * @param subject such as "card-7"; a new drawing replaces older drawings of the same subject
 * @param fingerprint hash of all inputs of the drawing
 */
export async function drawOnce(platen: Platen, subject: string, fingerprint: string, drawing: Drawing) {
  const name = `${subject}.${fingerprint}.png`;
  const path = join(drawingsFolder(platen), name);
  const cached = await readFile(path).catch(() => null);
  if (cached) return new Uint8Array(cached);
  const created = await mkdir(drawingsFolder(platen), { recursive: true });
  await runDecoderTask(platen, "draw", { drawing, to: path }, { need: SMALL_TASK_BYTES, purpose: "card" });
  chownToFolderOwner(platen.config.data, created ?? path);
  await removeOldDrawings(platen, subject, name);
  return new Uint8Array(await readFile(path));
}

async function removeOldDrawings(platen: Platen, subject: string, current: string): Promise<void> {
  const folder = drawingsFolder(platen);
  for (const name of await readdir(folder))
    if (name.startsWith(`${subject}.`) && name !== current) await rm(join(folder, name), { force: true });
}

function drawingsFolder(platen: Platen): string {
  return join(platen.config.data, "pictures");
}

export function fingerprintOf(inputs: unknown): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 16);
}

/** The font Inter has only Latin, Greek and Cyrillic letters. */
const DRAWABLE =
  /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\x20-\x7E\xA0-\xFF\u2010-\u205E\u20AC]|[\u0300-\u036F])*$/u;
const PICTOGRAMS = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F/gu;

/** Characters that every font for cards contains. */
const PLAIN = /^[\x20-\x7E\xA0-\u017F\u2010-\u2026\u20AC]*$/;

export function isPlainLatin(text: string): boolean {
  return PLAIN.test(text);
}

export function initialOf(name: string): string {
  const letters = new Intl.Segmenter().segment(name);
  const first = [...letters].find(({ segment }) => /[\p{L}\p{N}]/u.test(segment));
  return first?.segment.toLocaleUpperCase() ?? "";
}

/** Removes emoji; null if nothing is left or if Inter lacks a character. */
export function drawable(text: string): string | null {
  const words = text.replace(PICTOGRAMS, "").replace(/\s+/g, " ").trim();
  return words !== "" && DRAWABLE.test(words) ? words : null;
}
