import { Database as Sqlite } from "bun:sqlite";
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";

export interface Wanted {
  /** "tea/index.html" */
  file: string;
  url: string;
  /** The page that links to it. */
  from: string;
}

/** Recent names are cached: most links of a page are also on the previous pages. */
const MAX_RECENT = 5000;

/**
 * A queue of files to write, without duplicates. On disk: a large site has hundreds of thousands.
 */
export class WantedFiles implements Disposable {
  count = 0;
  private taken = 0;
  private readonly recent = new Set<string>();
  private readonly disk: Sqlite;

  /** @param path of a temporary file */
  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.disk = new Sqlite(path, { create: true, strict: true });
    // The file needs no durability.
    for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"])
      this.disk.run(`PRAGMA ${pragma}`);
    this.disk.run("CREATE TABLE files (id INTEGER PRIMARY KEY, file TEXT UNIQUE, url TEXT, source TEXT)");
    this.disk.run("BEGIN");
  }

  /** @returns whether it is new */
  add({ file, url, from }: Wanted): boolean {
    if (this.recent.has(file)) return false;
    if (this.recent.size >= MAX_RECENT) this.recent.clear();
    this.recent.add(file);
    const { changes } = this.disk
      .query("INSERT OR IGNORE INTO files (file, url, source) VALUES ($file, $url, $from)")
      .run({ file, url, from });
    this.count += changes;
    return changes > 0;
  }

  /** In order of insertion; undefined if the queue is empty. */
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
