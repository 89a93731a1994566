import { count, eq } from "drizzle-orm";
import { komments, revisions } from "../../../database/schema";
import type { ImportedKomment } from "../../../komments/importing-komments";
import type { ImportedRevision } from "../../../posts/revisions/storing-revisions";
import { forgetMade, madeBefore, recordMade } from "../run/import-records";
import { ordered, orReported, severalAtOnce } from "../run/item-processing";
import {
  type Belonging,
  isPiece,
  type Part,
  type Place,
  readyPiece,
  writePiece,
} from "../run/komments-and-revisions";
import {
  type AboutArchive,
  isFields,
  isSoundVersion,
  linesIn,
  text,
  time,
  timeOrNull,
} from "./archive-reader";
import { postHere, postKey, type Restoring } from "./restore-context";
import type { FileNames } from "./restore-files";

const PATHS = ["komments.jsonl", "revisions.jsonl"] as const;

/** Of a post that is brought anew, whatever was brought of one before it. To be called in the transaction that writes it. */
export function forgetLines({ platen, blog, about }: Restoring, post: unknown): void {
  for (const path of PATHS) forgetMade(platen, blog.id, "rest", linesName(path, about, post));
}

function linesName(path: (typeof PATHS)[number], { id }: AboutArchive, post: unknown): string {
  return `${path} ${postKey(id, { id: post })}`;
}

export async function restoreKomments(at: Restoring): Promise<void> {
  const belongingIn = (line: Record<string, unknown>) => ({ komment: kommentIn(line, at.run.startedAt) });
  await restoreLines(at, "komments.jsonl", komments, belongingIn);
}

export async function restoreRevisions(at: Restoring, names: FileNames): Promise<void> {
  await restoreLines(at, "revisions.jsonl", revisions, (line) => {
    const version = formerIn(line, names);
    if (!version) at.report.faults.add("A former version of a post: it cannot be read.");
    return version && { version };
  });
}

async function restoreLines(
  at: Restoring,
  path: (typeof PATHS)[number],
  table: typeof komments | typeof revisions,
  belongingIn: (line: Record<string, unknown>) => Belonging | null,
): Promise<void> {
  const { platen, report } = at;
  const inOrder = ordered();
  await severalAtOnce(newLines(at, path, table, belongingIn), (lines) =>
    inOrder([lines.name], async () => {
      await orReported(at.report, `A part of ${path}`, async () => {
        const piece = await readyPiece(lines);
        if (!(await writePiece(platen, lines.postId, piece, placeIn(at, lines)))) return;
        report.komments += piece.komments.length;
        report.revisions += piece.versions.length;
        for (const { name, why } of piece.faults) report.faults.add(`A komment of ${name}: ${why}`);
      });
      at.onProgress();
    }),
  );
}

/** Lines of one post, as many as are written at one time. Those that cannot be read are counted too. */
interface Lines extends Part {
  postId: number;
  /** Names what was brought of them. */
  name: string;
}

/** The lines of each post together, as they stand in the archive; without those that were brought before. */
async function* newLines(
  at: Restoring,
  path: (typeof PATHS)[number],
  table: typeof komments | typeof revisions,
  belongingIn: (line: Record<string, unknown>) => Belonging | null,
): AsyncGenerator<Lines> {
  let [post, left]: [unknown, number] = [undefined, 0];
  let lines: Lines | undefined;
  for await (const line of linesIn(at.source, path)) {
    if (!line) {
      at.report.faults.add(`A line of ${path}: it cannot be read.`);
      continue;
    }
    if (line.post !== post) {
      if (lines && lines.end > lines.from) yield lines;
      post = line.post;
      lines = beginningOf(at, linesName(path, at.about, post), post, table);
      left = lines?.from ?? 0;
    }
    if (left > 0) left--;
    else if (lines) {
      const belonging = belongingIn(line);
      if (belonging) lines.belongings.push(belonging);
      lines.end++;
    }
    if (lines && isPiece(lines.belongings)) {
      yield lines;
      lines = { ...lines, from: lines.end, belongings: [] };
    }
  }
  if (lines && lines.end > lines.from) yield lines;
}

/** A Platen that kept no count has brought as many as there are. */
function beginningOf(
  at: Restoring,
  name: string,
  post: unknown,
  table: typeof komments | typeof revisions,
): Lines | undefined {
  const postId = postHere(at, post);
  if (postId === undefined) return undefined;
  const here = () => at.platen.db.select({ n: count() }).from(table).where(eq(table.postId, postId)).get();
  const from = broughtBefore(at, name) ?? here()?.n ?? 0;
  return { postId, name, from, end: from, belongings: [] };
}

function broughtBefore({ platen, blog }: Restoring, name: string): number | undefined {
  return madeBefore(platen, blog.id, "rest", name);
}

function placeIn(at: Restoring, { name, from }: Lines): Place {
  return {
    reached: () => broughtBefore(at, name) ?? from,
    keep: (reached, post) => post && recordMade(at.platen, at.run, "rest", name, reached),
  };
}

/** @param at where it does not say when it was written */
function kommentIn(line: Record<string, unknown>, at: Date): ImportedKomment {
  const { status, answer } = line;
  return {
    ...{ name: text(line.name), address: text(line.address), text: text(line.text) },
    status: status === "shown" || status === "refused" ? status : "waiting",
    at: time(line.at, at),
    editedAt: timeOrNull(line.edited_at),
    ...(isFields(answer) && { answer: { text: text(answer.text), at: time(answer.at, at) } }),
  };
}

function formerIn(line: Record<string, unknown>, names: FileNames): ImportedRevision | null {
  const replacedAt = timeOrNull(line.replaced_at);
  const fields = names.inValue(line.fields);
  return replacedAt && isSoundVersion(fields) ? { replacedAt, fields } : null;
}
