import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDamageInFile } from "../../src/database/verified-copy";
import known from "../fixtures/known.json";
import { dice } from "../support/dice";
import { olderFolder } from "../support/older-folder";
import { PROGRAM, runPlaten, startServer } from "../support/program";
import { until } from "../support/waiting";

const FIXTURE = "data-0.1.0";
const { key } = known[FIXTURE];
const KILLS = 4;

/** The database before the last migration, which adds the search index. */
function folderBeforeLastMigration(): string {
  const data = olderFolder(FIXTURE);
  const database = new Database(join(data, "platen.db"));
  database.run("DROP TABLE post_search");
  database.run(
    "DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)",
  );
  database.close();
  return data;
}

const copiesIn = (data: string) => readdirSync(data).filter((name) => name.startsWith("platen-before-"));

function inside<Row>(file: string, question: string): Row {
  const database = new Database(file, { readonly: true });
  try {
    return database.query<Row, []>(question).get() as Row;
  } finally {
    database.close();
  }
}

async function titlesFound(url: string, words: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/v1/posts?status=all&search=${words}`, { headers });
  return (await answer.json()).posts.map(({ title }: { title: string }) => title);
}

/** Waits until the server has indexed missing posts after its start. */
async function untilFound(url: string, words: string, title: string): Promise<void> {
  await until(async () => (await titlesFound(url, words)).includes(title), `"${title}" to be found`);
}

test("a migration indexes the posts of an older database, and keeps a copy of it", async () => {
  const data = folderBeforeLastMigration();
  await using server = await startServer({ data });
  await untilFound(server.url, "cups", "Tea, again");
  expect(copiesIn(data)).toHaveLength(1);
  const copy = join(data, copiesIn(data)[0] as string);
  expect(findDamageInFile(copy)).toBeNull();
  expect(() => inside(copy, "SELECT 1 FROM post_search")).toThrow("no such table");
});

test("a migration killed at any moment leaves the old or the new database, and no partial copy", async () => {
  const { below } = dice(7);
  const posts = "SELECT count(*) AS n FROM posts";
  for (let round = 0; round < KILLS; round++) {
    const data = folderBeforeLastMigration();
    const before = inside(join(data, "platen.db"), posts);
    const child = Bun.spawn([...PROGRAM, "serve", "--data", data, "--port", "0"], {
      stdout: "ignore",
      stderr: "ignore",
    });
    // Interrupt after the copy or the WAL appears, at a random moment.
    const hasStarted = () => readdirSync(data).some((name) => /wal|before/.test(name));
    await until(hasStarted, "a log or a copy", () => readdirSync(data));
    await Bun.sleep(below(60));
    child.kill("SIGKILL");
    await child.exited;
    for (const name of copiesIn(data)) {
      expect(findDamageInFile(join(data, name))).toBeNull();
      expect(inside(join(data, name), posts)).toEqual(before);
    }
    await using server = await startServer({ data });
    await untilFound(server.url, "cups", "Tea, again");
    expect(inside(join(data, "platen.db"), posts)).toEqual(before);
    expect(copiesIn(data)).toHaveLength(1);
    expect(readdirSync(data).filter((name) => name.startsWith(".platen-before"))).toEqual([]);
  }
}, 600_000);

test("platen rollback shows what would be lost, restores the previous database, and keeps the newer one", async () => {
  const data = folderBeforeLastMigration();
  expect((await runPlaten(["rollback", "--data", folderBeforeLastMigration()])).stderr).toBe(
    "No upgrade has migrated this database; there is nothing to roll back.\n",
  );
  {
    await using server = await startServer({ data });
    const made = await fetch(`${server.url}/api/v1/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ post: { title: "Newer" } }),
    });
    expect(made.status).toBe(201);
    expect((await runPlaten(["rollback", "--data", data])).stderr).toStartWith("Another Platen is serving");
    await server.stop();
  }
  const says = / lacks 1 post, 0 komments, 0 messages, 0 uploads, and later changes to 0 posts/;
  const offered = await runPlaten(["rollback", "--data", data]);
  expect(offered).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(says) });
  const done = await runPlaten(["rollback", "--yes", "--data", data]);
  expect(done).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(says) });
  expect(() => inside(join(data, "platen.db"), "SELECT 1 FROM post_search")).toThrow("no such table");
  const [kept = ""] = readdirSync(data).filter((name) => name.startsWith("rolled-back-"));
  expect(existsSync(join(data, kept, "platen.db"))).toBe(true);
  await using again = await startServer({ data });
  await untilFound(again.url, "cups", "Tea, again");
  expect(await titlesFound(again.url, "newer")).toEqual([]);
});

test("platen check does not migrate an older folder", async () => {
  const data = folderBeforeLastMigration();
  const checked = await runPlaten(["check", "--data", data]);
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("in order: 7 posts, 1 file.") });
  expect(copiesIn(data)).toEqual([]);
});

test("commands and a server that start together on an older database wait for one migration", async () => {
  const data = folderBeforeLastMigration();
  const list = () => runPlaten(["account", "list", "--data", data]);
  const ended = Promise.all([list(), list(), list()]);
  await using server = await startServer({ data });
  for (const { code, stdout, stderr } of await ended)
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("ada@"),
      stderr: "",
    });
  await untilFound(server.url, "cups", "Tea, again");
  expect(copiesIn(data)).toHaveLength(1);
});

test("a command does not migrate the database of a running older server", async () => {
  const data = folderBeforeLastMigration();
  const list = ["account", "list", "--data", data];
  // The lock of such a server.
  const lock = new Database(join(data, ".serving"), { create: true });
  lock.run("BEGIN EXCLUSIVE");
  const database = new Database(join(data, "platen.db"));
  database.run("SELECT 1 FROM posts");
  expect(await runPlaten(list)).toEqual({
    code: 1,
    stdout: "",
    stderr: `The Platen that serves ${data} is an older version; restart it with this version first.\n`,
  });
  expect(copiesIn(data)).toEqual([]);
  expect(() => inside(join(data, "platen.db"), "SELECT 1 FROM post_search")).toThrow("no such table");
  database.close();
  lock.close();
  expect((await runPlaten(list)).code).toBe(0);
  expect(copiesIn(data)).toHaveLength(1);
});

test("a damaged database is not migrated", async () => {
  const data = folderBeforeLastMigration();
  const file = join(data, "platen.db");
  const question = "SELECT rootpage AS page FROM sqlite_master WHERE name = 'authorization_codes'";
  const { page } = inside<{ page: number }>(file, question);
  const { page_size: size } = inside<{ page_size: number }>(file, "PRAGMA page_size");
  const torn = readFileSync(file).fill(0x5a, (page - 1) * size, page * size);
  writeFileSync(file, torn);
  const started = await runPlaten(["serve", "--port", "0", "--data", data]);
  expect(started).toMatchObject({ code: 1, stdout: "" });
  expect(started.stderr).toMatch(
    /^platen\.db is damaged \([^\n]+\) and cannot be upgraded; run: platen recover\n$/,
  );
  expect(readFileSync(file)).toEqual(torn);
});
