import { statSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { HOUR } from "../../config/units";
import type { Drawing } from "../../media/decoder/decoder-tasks";
import { runDecoderTask, SMALL_TASK_BYTES } from "../../media/decoder/decoding";
import type { Platen } from "../../platen";

const jobsOf = new WeakMap<Platen, Map<string, Promise<Uint8Array<ArrayBuffer>>>>();

/**
 * A PNG that is drawn when it is first asked for and kept in the data folder.
 * @param subject names the file: "card-7"; drawing a new one removes the old ones of the same subject
 * @param fingerprint hash of everything it is drawn from
 */
export function drawnOnce(platen: Platen, subject: string, fingerprint: string, drawing: Drawing) {
  const jobs = jobsOf.getOrInsertComputed(platen, () => new Map<string, Promise<Uint8Array<ArrayBuffer>>>());
  const name = `${subject}.${fingerprint}.png`;
  return jobs.getOrInsertComputed(name, () =>
    readOrDraw(platen, subject, name, drawing).finally(() => jobs.delete(name)),
  );
}

async function readOrDraw(platen: Platen, subject: string, name: string, drawing: Drawing) {
  const path = join(folderOf(platen), name);
  const kept = await readFile(path).catch(() => null);
  if (kept) return new Uint8Array(kept);
  await mkdir(folderOf(platen), { recursive: true });
  await runDecoderTask(platen, "draw", { drawing, to: path }, { need: SMALL_TASK_BYTES });
  await removeOthers(platen, subject, name);
  return new Uint8Array(await readFile(path));
}

/** Subject → the names of its drawings; looked up once, for there may be as many as posts. What another process draws is not in it. */
const keptOf = new WeakMap<Platen, Promise<Map<string, string[]>>>();

async function removeOthers(platen: Platen, subject: string, current: string): Promise<void> {
  const kept = await keptOf.getOrInsertComputed(platen, () => namesIn(folderOf(platen)).then(bySubject));
  for (const name of kept.get(subject) ?? [])
    if (name !== current) await rm(join(folderOf(platen), name), { force: true });
  kept.set(subject, [current]);
}

/** A drawing is written in less: what is older was left by a decoder that was killed over it. */
const UNFINISHED_FOR = HOUR;

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  // By the clock that files bear.
  const before = Date.now() - UNFINISHED_FOR;
  for (const path of names.filter((name) => name.startsWith(".")).map((name) => join(folder, name))) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && found.mtimeMs < before) await rm(path, { force: true });
  }
  return names;
}

function bySubject(names: string[]): Map<string, string[]> {
  return Map.groupBy(names, (name) => name.slice(0, name.indexOf(".")));
}

function folderOf(platen: Platen): string {
  return join(platen.config.data, "pictures");
}
