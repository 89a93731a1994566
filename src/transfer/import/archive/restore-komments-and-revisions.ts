import type { ImportedRevision } from "../../../posts/revisions/storing-revisions";
import { dateOrNull, parseKommentLine } from "../items/exported-lines";
import { addRecord, findRecord, removeRecord } from "../run/import-records";
import { createKeyedQueue, forEachConcurrently, reportItemErrors } from "../run/item-processing";
import {
  type BatchCursor,
  type HistoryEntry,
  type HistorySlice,
  isBatchFull,
  prepareBatch,
  writeBatch,
} from "../run/komments-and-revisions";
import { type ArchiveInfo, isValidRevision, readJsonLines } from "./archive-reader";
import { archivePostKey, findPostId, type RestoreContext } from "./restore-context";
import type { FileMapping } from "./restore-files";

const PATHS = ["komments.jsonl", "revisions.jsonl"] as const;

/**
 * Resets the line counts of a post, so that its lines are imported again. Call it in the transaction that restores
 * the post.
 */
export function forgetLineCounts({ platen, blog, about }: RestoreContext, post: unknown): void {
  for (const path of PATHS) removeRecord(platen, blog.id, "rest", linesName(path, about, post));
}

function linesName(path: (typeof PATHS)[number], { id }: ArchiveInfo, post: unknown): string {
  return `${path} ${archivePostKey(id, { id: post })}`;
}

export async function restoreKomments(at: RestoreContext): Promise<void> {
  const belongingIn = (line: Record<string, unknown>) => ({
    komment: parseKommentLine(line, at.run.startedAt),
  });
  await restoreLines(at, "komments.jsonl", belongingIn);
}

export async function restoreRevisions(at: RestoreContext, names: FileMapping): Promise<void> {
  await restoreLines(at, "revisions.jsonl", (line) => {
    const version = formerIn(line, names);
    if (!version) at.report.faults.add("A revision of a post: cannot be read.");
    return version && { version };
  });
}

async function restoreLines(
  at: RestoreContext,
  path: (typeof PATHS)[number],
  belongingIn: (line: Record<string, unknown>) => HistoryEntry | null,
): Promise<void> {
  const { platen, report } = at;
  const inOrder = createKeyedQueue();
  await forEachConcurrently(newLines(at, path, belongingIn), (lines) =>
    inOrder([lines.name], async () => {
      await reportItemErrors(at.report, `Lines of ${path}`, async () => {
        const piece = await prepareBatch(lines);
        if (!(await writeBatch(platen, lines.postId, piece, placeIn(at, lines)))) return;
        report.komments += piece.komments.length;
        report.revisions += piece.versions.length;
        for (const { name, why } of piece.faults) report.faults.add(`Komment by ${name}: ${why}`);
      });
      at.onProgress();
    }),
  );
}

/** Consecutive lines of one post for one transaction, including invalid lines. */
interface Lines extends HistorySlice {
  postId: number;
  /** Name of the record that counts the imported lines. */
  name: string;
}

/** Groups lines by post and skips those an earlier run imported. */
async function* newLines(
  at: RestoreContext,
  path: (typeof PATHS)[number],
  belongingIn: (line: Record<string, unknown>) => HistoryEntry | null,
): AsyncGenerator<Lines> {
  let [post, left]: [unknown, number] = [undefined, 0];
  let lines: Lines | undefined;
  for await (const line of readJsonLines(at.source, path)) {
    if (!line) {
      at.report.faults.add(`Invalid line in ${path}.`);
      continue;
    }
    if (line.post !== post) {
      if (lines && lines.end > lines.from) yield lines;
      post = line.post;
      lines = beginningOf(at, linesName(path, at.about, post), post);
      left = lines?.from ?? 0;
    }
    if (left > 0) left--;
    else if (lines) {
      const belonging = belongingIn(line);
      if (belonging) lines.belongings.push(belonging);
      lines.end++;
    }
    if (lines && isBatchFull(lines.belongings)) {
      yield lines;
      lines = { ...lines, from: lines.end, belongings: [] };
    }
  }
  if (lines && lines.end > lines.from) yield lines;
}

function beginningOf(at: RestoreContext, name: string, post: unknown): Lines | undefined {
  const postId = findPostId(at, post);
  if (postId === undefined) return undefined;
  const from = broughtBefore(at, name) ?? 0;
  return { postId, name, from, end: from, belongings: [] };
}

function broughtBefore({ platen, blog }: RestoreContext, name: string): number | undefined {
  return findRecord(platen, blog.id, "rest", name);
}

function placeIn(at: RestoreContext, { name, from }: Lines): BatchCursor {
  return {
    reached: () => broughtBefore(at, name) ?? from,
    keep: (reached, post) => post && addRecord(at.platen, at.run, "rest", name, reached),
  };
}

function formerIn(line: Record<string, unknown>, names: FileMapping): ImportedRevision | null {
  const replacedAt = dateOrNull(line.replaced_at);
  const fields = names.inValue(line.fields);
  return replacedAt && isValidRevision(fields) ? { replacedAt, fields } : null;
}
