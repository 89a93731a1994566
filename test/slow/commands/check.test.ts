import { expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { homeBlog } from "../../../src/blogs/blogs";
import { createPlaten } from "../../../src/commands/shell/data-folder";
import { readSettings } from "../../../src/config/config";
import { closeDatabase, openDatabase } from "../../../src/database/open";
import type { StoredBlob } from "../../../src/media/files/blobs";
import { mediaFolder } from "../../../src/media/files/media-folder";
import { ensureRenditions } from "../../../src/media/renditions";
import { receiveUpload, storeUpload } from "../../../src/media/uploads";
import type { Database, Platen } from "../../../src/platen";
import { savePost } from "../../../src/posts/writing/saving";
import { lockForRecovery } from "../../support/other-program";
import { picture } from "../../support/pictures";
import { freshFolder, PROGRAM, runPlaten, setUpBlog } from "../../support/program";
import { until } from "../../support/waiting";

/** The smallest header that is detected as WebM. */
const VIDEO = Buffer.concat([
  Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex"),
  Buffer.alloc(5000),
]);

/** A folder with one post and two uploads, and a Platen on it with the real clock. */
async function filledFolder(): Promise<Disposable & { platen: Platen; blobs: StoredBlob[] }> {
  const { data } = await setUpBlog();
  const platen = createPlaten({ ...readSettings({ data }, {}), url: "http://blog.test" }, openDatabase(data));
  const author = { account: { id: 1, name: "Ada", email: "ada@example.com" } };
  const changes = { title: "Hello", content: "<p>World</p>" };
  await savePost(
    platen,
    author,
    () => ({ blog: home(platen), before: null, changes }),
    (save) => save(),
  );
  const blobs = [await upload(platen, "one.webm"), await upload(platen, "two.webm")];
  return { platen, blobs, [Symbol.dispose]: () => closeDatabase(platen.db) };
}

const home = (platen: Platen) => homeBlog(platen) as NonNullable<ReturnType<typeof homeBlog>>;

async function upload(
  platen: Platen,
  name: string,
  bytes: Uint8Array<ArrayBuffer> = VIDEO,
): Promise<StoredBlob> {
  const received = await receiveUpload(platen, new Blob([bytes]).stream(), name);
  const blob = await storeUpload(platen, home(platen), received);
  await ensureRenditions(platen, blob);
  return blob;
}

const check = (platen: Platen) => runPlaten(["check", "--data", platen.config.data]);

test("an intact folder has no errors, also while it is used; the check changes nothing", async () => {
  using folder = await filledFolder();
  const database = join(folder.platen.config.data, "platen.db");
  const before = statSync(database).mtimeMs;
  expect(await check(folder.platen)).toEqual({
    code: 0,
    stdout: "Everything is in order: 1 post, 2 files.\n",
    stderr: "",
  });
  expect(statSync(database).mtimeMs).toBe(before);
});

test("missing, truncated and changed files are named", async () => {
  using folder = await filledFolder();
  const [one, two] = folder.blobs as [StoredBlob, StoredBlob];
  appendFileSync(mediaFolder(folder.platen, one.folder, one.filename), "more");
  rmSync(mediaFolder(folder.platen, two.folder), { recursive: true });
  const three = await upload(folder.platen, "three.webm");
  const changed = Buffer.from(VIDEO);
  changed[4000] = 1;
  writeFileSync(mediaFolder(folder.platen, three.folder, three.filename), changed);
  const { code, stdout } = await check(folder.platen);
  expect(code).toBe(1);
  expect(stdout.trimEnd().split("\n")).toEqual([
    `media/${one.folder}/one.webm has ${VIDEO.length + 4} bytes instead of ${VIDEO.length}.`,
    `media/${two.folder}/two.webm is missing.`,
    `media/${three.folder}/three.webm has changed since it was uploaded.`,
  ]);
});

test("unknown files are noted, but not sizes, originals or unfinished uploads", async () => {
  using folder = await filledFolder();
  const [one] = folder.blobs as [StoredBlob];
  mkdirSync(mediaFolder(folder.platen, one.folder, "sizes"), { recursive: true });
  for (const name of ["sizes/480.webp", ".original", "stray.txt"])
    writeFileSync(mediaFolder(folder.platen, one.folder, name), "x");
  writeFileSync(mediaFolder(folder.platen, ".incoming", "half"), "x");
  mkdirSync(mediaFolder(folder.platen, "lost"));
  expect(await check(folder.platen)).toMatchObject({
    code: 0,
    stdout: [
      `Warning: media/${one.folder}/stray.txt belongs to no upload.`,
      "Warning: media/lost belongs to no upload.",
      "Everything is in order: 1 post, 2 files.\n",
    ].join("\n"),
  });
});

test("ten equal problems are listed, and the rest are counted", async () => {
  using folder = await filledFolder();
  const { db } = folder.platen;
  db.run(sql`PRAGMA foreign_keys = OFF`);
  const rows = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2345)`;
  db.run(sql`${rows} INSERT INTO tags (blog_id, name, name_key, slug) SELECT 99, i, i, i FROM n`);
  const { code, stdout } = await check(folder.platen);
  expect(code).toBe(1);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(11);
  expect(lines[10]).toBe("And 2,335 more rows of tags point to rows of blogs that no longer exist.");
});

test("an empty database next to uploads is reported instead of offering setup", async () => {
  using folder = await filledFolder();
  const { data } = folder.platen.config;
  const copy = freshFolder();
  cpSync(join(data, "media"), join(copy, "media"), { recursive: true });
  const fault = `${copy}/media contains uploads (2), but platen.db contains no account: the database of these uploads is lost. Restore platen.db from a copy of the folder; to start over, move the folder media elsewhere.\n`;
  for (const empty of [null, Buffer.alloc(0)]) {
    if (empty) writeFileSync(join(copy, "platen.db"), empty);
    const before = readdirSync(copy);
    for (const command of [
      ["serve", "--port", "0"],
      ["setup", "--email", "eve@example.com", "--title", "Eve"],
      ["check"],
    ])
      expect(await runPlaten([...command, "--data", copy])).toEqual({ code: 1, stdout: "", stderr: fault });
    // A folder of an interrupted restore can be restored to.
    expect(readdirSync(copy)).toEqual(before);
  }
});

test("in a copy, an upload that arrived while copying is a warning; an older missing one is an error", async () => {
  using folder = await filledFolder();
  const [one] = folder.blobs as [StoredBlob];
  // File times are precise to some milliseconds, so make the difference larger.
  folder.platen.db.run(sql`UPDATE blobs SET created_at = created_at - 1000 WHERE id = ${one.id}`);
  const copy = freshFolder();
  const { data } = folder.platen.config;
  cpSync(join(data, "media"), join(copy, "media"), { recursive: true });
  const late = await upload(folder.platen, "late.webm");
  for (const name of readdirSync(data).filter((name) => name.startsWith("platen.db")))
    cpSync(join(data, name), join(copy, name));

  const copied = await runPlaten(["check", "--data", copy]);
  expect(copied).toMatchObject({ code: 0, stderr: "" });
  expect(copied.stdout).toStartWith(
    `Warning: media/${late.folder}/late.webm is missing: it was uploaded while `,
  );
  rmSync(join(copy, "media", one.folder), { recursive: true });
  const damaged = await runPlaten(["check", "--data", copy]);
  expect(damaged.code).toBe(1);
  expect(damaged.stdout).toContain(`\nmedia/${one.folder}/one.webm is missing.\n`);
});

test("dangling rows, wrong lists of tags and posts missing in the search index are errors", async () => {
  using folder = await filledFolder();
  const { db } = folder.platen;
  db.run(sql`PRAGMA foreign_keys = OFF`);
  db.run(sql`UPDATE blobs SET blog_id = 99 WHERE filename = 'one.webm'`);
  breakTags(db);
  db.run(sql`DELETE FROM post_search`);
  expect(await check(folder.platen)).toMatchObject({
    code: 1,
    stdout:
      "Row 1 of blobs points to a row of blogs that no longer exists.\n" +
      "Lists of tags show wrong posts.\n" +
      "The search index lacks 1 of the posts.\n",
  });
});

test("lists of tags are compared and repaired", async () => {
  using folder = await filledFolder();
  breakTags(folder.platen.db);
  const wrong = await check(folder.platen);
  expect(wrong).toMatchObject({ code: 1, stdout: "Lists of tags show wrong posts.\n" });
  const repaired = await runPlaten(["check", "--repair", "--data", folder.platen.config.data]);
  expect(repaired.code).toBe(0);
  expect(repaired.stdout).toContain("Repaired the lists of tags.\n");
  expect((await check(folder.platen)).code).toBe(0);
});

function breakTags(db: Database): void {
  db.run(sql`INSERT INTO tags (blog_id, name, name_key, slug) VALUES (1, 'Tea', 'tea', 'tea')`);
  db.run(sql`INSERT INTO post_tags SELECT id, 1, 0, status, type, hidden, 1 FROM posts LIMIT 1`);
}

test("--repair indexes every post that is not deleted, and nothing else", async () => {
  using folder = await filledFolder();
  const { db, config } = folder.platen;
  db.run(sql`DELETE FROM post_search`);
  db.run(
    sql`INSERT INTO post_search (rowid, title, content) VALUES (7, 'gone', 'gone'), (8, 'gone', 'gone')`,
  );
  const repaired = await runPlaten(["check", "--repair", "--data", config.data]);
  expect(repaired.stdout).toStartWith("Repaired the search index: 1 post added, 2 removed.\n");
  expect(repaired.code).toBe(0);
  const found = db.$client
    .query("SELECT rowid FROM post_search WHERE post_search MATCH ?")
    .values("world OR gone");
  expect(found).toEqual([[1]]);
});

test("a check waits while a starting server recovers the WAL", async () => {
  const { data } = await setUpBlog();
  const other = lockForRecovery(data);
  const check = Bun.spawn([...PROGRAM, "check", "--data", data], { stderr: "pipe" });
  const hasOpened = () => openFiles(check.pid).includes(join(data, "platen.db"));
  await until(() => check.exitCode !== null || hasOpened(), "the database to be opened");
  // It reads right after opening, and would fail within this time if it did not wait.
  await Promise.race([check.exited, Bun.sleep(200)]);
  other[Symbol.dispose]();
  expect(await new Response(check.stderr).text()).toBe("");
  expect(await check.exited).toBe(0);
});

/** Files that a process has open; none if it has ended. */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const target = (number: string) => {
    try {
      return readlinkSync(join(folder, number));
    } catch {
      return "";
    }
  };
  return existsSync(folder) ? readdirSync(folder).map(target) : [];
}

test("a damaged database, a foreign file and a missing folder are reported in one line", async () => {
  using folder = await filledFolder();
  const copy = freshFolder();
  folder.platen.db.run(sql`PRAGMA wal_checkpoint(TRUNCATE)`);
  cpSync(folder.platen.config.data, copy, { recursive: true });
  const database = join(copy, "platen.db");
  const bytes = Buffer.from(await Bun.file(database).bytes());
  bytes.fill(0x5a, 8 * 4096, 12 * 4096);
  writeFileSync(database, bytes);
  const damaged = await runPlaten(["check", "--data", copy]);
  expect(damaged.code).toBe(1);
  expect(damaged.stdout + damaged.stderr).toMatch(/^The database (is damaged|cannot be read): /m);
  expect(damaged.stderr).not.toContain("at ");

  writeFileSync(database, "this is no database, whatever its name says".repeat(200));
  expect(await runPlaten(["check", "--data", copy])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^[^\n]+not a database\.\n$/),
  });
  expect((await runPlaten(["blog", "list", "--data", copy])).stderr).toEndWith(
    "its platen.db is not a database; run: platen recover.\n",
  );
  const missing = freshFolder();
  expect(await runPlaten(["check", "--data", missing])).toEqual({
    code: 1,
    stdout: "",
    stderr: `There is no Platen data in ${missing}; set the folder with --data or PLATEN_DATA.\n`,
  });
  expect(() => statSync(missing)).toThrow();
});

test("missing sizes and placeholder pictures are reported and recreated by --repair", async () => {
  using folder = await filledFolder();
  const { platen } = folder;
  const [one] = folder.blobs as [StoredBlob];
  const [lacking, spoiled] = [
    await upload(platen, "lacking.jpg", await picture(1000, 500)),
    await upload(platen, "spoiled.jpg", await picture(1000, 500)),
  ];
  for (const blob of [one, lacking]) rmSync(mediaFolder(platen, blob.folder, "sizes", "thumb.webp"));
  rmSync(mediaFolder(platen, lacking.folder, "sizes", "960.webp"));
  const photo = readFileSync(mediaFolder(platen, spoiled.folder, spoiled.filename));
  const write = (bytes: Uint8Array) =>
    writeFileSync(mediaFolder(platen, spoiled.folder, spoiled.filename), bytes);
  rmSync(mediaFolder(platen, spoiled.folder, "sizes"), { recursive: true });
  write(photo.map(() => 7));
  await ensureRenditions(platen, spoiled);
  write(photo);

  const blank = `Warning: media/${spoiled.folder}/spoiled.jpg could not be decoded and is shown blank; --repair tries again.`;
  const fine = "Everything is in order: 1 post, 4 files.";
  expect(await linesOf(check(platen))).toEqual([
    blank,
    `media/${one.folder}/one.webm and 1 more file lack smaller sizes, which are created on demand, or now with --repair.`,
    fine,
  ]);
  const repair = () => linesOf(runPlaten(["check", "--repair", "--data", platen.config.data]));
  expect(await repair()).toEqual(["Created missing picture sizes for 3 files.", fine]);
  expect(await repair()).toEqual(["Created missing picture sizes for 0 files.", fine]);
  const { width, height } = await sharp(mediaFolder(platen, spoiled.folder, "sizes", "480.webp")).metadata();
  expect(existsSync(mediaFolder(platen, lacking.folder, "sizes", "960.webp"))).toBe(true);
  expect([width, height]).toEqual([480, 240]);
});

async function linesOf(run: ReturnType<typeof runPlaten>): Promise<string[]> {
  const { code, stdout } = await run;
  expect(code).toBe(0);
  return stdout.trimEnd().split("\n");
}
