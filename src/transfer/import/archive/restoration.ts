import type { Account } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { Refusal } from "../../../errors";
import type { Platen } from "../../../platen";
import type { ImportReport } from "../running/import-report";
import { type ImportRow, madeBefore } from "../running/import-rows";
import type { Source } from "../sources/source";
import type { AboutArchive } from "./archive-lines";

/** A restoration under way. */
export interface Restoring {
  platen: Platen;
  blog: Blog;
  account: Account;
  source: Source;
  about: AboutArchive;
  run: ImportRow;
  report: ImportReport;
  onProgress(): void;
}

/** What a second run knows a post of the archive by. */
export function postKey(archive: string, line: Record<string, unknown>): string {
  return `platen ${archive} ${line.id}`;
}

/** The post here that has this number in the archive. */
export function postHere({ platen, blog, about }: Restoring, id: unknown): number | undefined {
  return madeBefore(platen, blog.id, "post", postKey(about.id, { id }));
}

/** One that is refused is told of and left out; a full disk ends everything. */
export async function orReported(
  { report }: Pick<Restoring, "report">,
  name: string,
  work: () => Promise<void> | void,
): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (!(fault instanceof Refusal) || /^(?:no room|unwritable|missing)$/.test(fault.kind)) throw fault;
    report.faults.add(`${name}: ${fault.message}`);
  }
}
