import { Database as Sqlite } from "bun:sqlite";
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";

export interface Wanted {
  /** "tea/index.html" */
  file: string;
  url: string;
  /** The page that has a link to it. */
  from: string;
}

/** Names that were wanted last are not looked up again: most links of a page are on the pages before it, too. */
const RECENT = 5000;

/**
 * The files that a site has or is to get, and which comes next. They are kept on a disk: a large site has hundreds of
 * thousands, with dozens of links on each page.
 */
export class WantedFiles implements Disposable {
  count = 0;
  private taken = 0;
  private readonly recent = new Set<string>();
  private readonly disk: Sqlite;

  /** @param path where nothing is, nor is left */
  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.disk = new Sqlite(path, { create: true, strict: true });
    // Nobody else opens it, and what is left of it after a crash is of no use.
    for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"])
      this.disk.run(`PRAGMA ${pragma}`);
    this.disk.run("CREATE TABLE files (id INTEGER PRIMARY KEY, file TEXT UNIQUE, url TEXT, source TEXT)");
    this.disk.run("BEGIN");
  }

  /** @returns whether it was not wanted before */
  add({ file, url, from }: Wanted): boolean {
    if (this.recent.has(file)) return false;
    if (this.recent.size >= RECENT) this.recent.clear();
    this.recent.add(file);
    const { changes } = this.disk
      .query("INSERT OR IGNORE INTO files (file, url, source) VALUES ($file, $url, $from)")
      .run({ file, url, from });
    this.count += changes;
    return changes > 0;
  }

  /** In the order they came; undefined where all of them were taken. */
  next(): Wanted | undefined {
    if (this.taken === this.count) return undefined;
    this.taken++;
    return this.disk
      .query<Wanted, { id: number }>('SELECT file, url, source AS "from" FROM files WHERE id = $id')
      .get({ id: this.taken }) as Wanted;
  }

  [Symbol.dispose](): void {
    this.disk.close();
    rmSync(this.path, { force: true });
  }
}
