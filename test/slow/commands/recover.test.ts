import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPlaten } from "../../../src/commands/shell/data-folder";
import { readSettings } from "../../../src/config/config";
import { closeDatabase, openDatabase } from "../../../src/database/open";
import { getDamage, startCheck } from "../../../src/upkeep/recovery/damaged-database";
import { picture, uploadForm } from "../../support/pictures";
import { freshFolder, type RunningServer, runPlaten, startServer } from "../../support/program";

test("a damaged folder is served read-only with a message in every protocol, until a snapshot replaces it", async () => {
  const { data, key } = await filledFolder();
  const torn = tornCopy(data);
  {
    await using server = await startServer({ data: torn });
    await server.untilStderr(/\n/);
    expect(server.stderr()).toContain(`run: platen recover --data ${torn}`);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      503,
      "The database is damaged and read-only; run: platen recover\n",
    ]);
    expect((await fetch(`${server.url}/`)).status).toBe(200);
    const { type, body } = await upload();
    const refused = await Promise.all([
      post(server, "/api/v1/posts", key, "application/json", '{"post":{"title":"No"}}'),
      post(server, "/micropub", key, "application/x-www-form-urlencoded", "h=entry&content=No"),
      post(server, "/api/v1/attachments", key, type, body),
    ]);
    for (const answer of refused) {
      expect(answer.status).toBe(503);
      expect(await answer.text()).toContain("platen recover");
    }
    expect((await runPlaten(["recover", "--yes", "--data", torn])).stderr).toStartWith(
      "Another Platen is serving ",
    );
    const added = await runPlaten(["account", "add", "--email", "bo@example.com", "--data", torn]);
    expect(added).toMatchObject({ code: 1, stderr: expect.stringContaining("platen recover") });
    expect((await runPlaten(["account", "list", "--data", torn])).code).toBe(0);
    expect(await server.stop()).toBe(0);
    expect(server.stderr().trimEnd().split("\n")).toHaveLength(1);
  }
  const says =
    /^The database is damaged \([^\n]+\)\. The snapshot of 20\d\d-\d\d-\d\d \d\d:\d\d UTC lacks \d+ posts?, 0 komments, 0 messages, 0 uploads, and later changes to \d+ posts?\. Type: platen recover --yes --data /;
  const offered = await runPlaten(["recover", "--data", torn]);
  expect(offered).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(says) });
  const before = readFileSync(join(torn, "platen.db"));
  const recovered = await runPlaten(["recover", "--yes", "--data", torn]);
  expect(recovered).toMatchObject({ code: 0, stderr: "" });
  const oldDatabases = readdirSync(torn).filter((name) => name.startsWith("torn-"));
  expect(recovered.stdout).toContain(join(torn, oldDatabases[0] as string));
  expect(readFileSync(join(torn, oldDatabases[0] as string, "platen.db"))).toEqual(before);
  expect((await runPlaten(["check", "--data", torn])).stdout).toBe(
    "Everything is in order: 1 post, 0 files.\n",
  );
  expect((await runPlaten(["recover", "--yes", "--data", torn])).stdout).toStartWith(
    "The database is intact",
  );
  const added = await runPlaten(["account", "add", "--email", "bo@example.com", "--data", torn]);
  expect(added.code).toBe(0);
  await using again = await startServer({ data: torn });
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  expect(
    (await post(again, "/api/v1/posts", key, "application/json", '{"post":{"title":"Yes"}}')).status,
  ).toBe(201);
});

test("without an intact snapshot, nothing is recovered or changed", async () => {
  const { data } = await filledFolder();
  const torn = tornCopy(data);
  const before = readFileSync(join(torn, "platen.db"));
  for (const spoil of [
    () => writeFileSync(join(torn, "snapshot.db"), "none"),
    () => rmSync(join(torn, "snapshot.db")),
  ]) {
    spoil();
    const refused = await runPlaten(["recover", "--yes", "--data", torn]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("the folder has no intact snapshot.db");
    expect(readFileSync(join(torn, "platen.db"))).toEqual(before);
  }
});

test("a damaged database does not replace the snapshot", async () => {
  const { data } = await filledFolder();
  const torn = tornCopy(data);
  const before = readFileSync(join(torn, "snapshot.db"));
  const refused = await runPlaten(["snapshot", "--data", torn]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^snapshot\.db was not written: platen\.db is damaged \([^\n]+\n$/);
  expect(readFileSync(join(torn, "snapshot.db"))).toEqual(before);
});

test("a copied folder is checked at start, a cleanly stopped one is not", async () => {
  const { data, key } = await filledFolder();
  checkpointWal(data);
  const start = async (folder: string) => {
    await using server = await startServer({ data: folder });
    const { status } = await post(
      server,
      "/api/v1/posts",
      key,
      "application/json",
      '{"post":{"title":"More"}}',
    );
    const mark = existsSync(join(folder, ".stopped"));
    await server.stop();
    return { status, mark };
  };
  expect(await start(data)).toEqual({ status: 201, mark: false });
  expect(existsSync(join(data, ".stopped"))).toBe(true);
  // Damage that neither a start nor the file size reveals.
  damagePage(data);
  expect(await start(data)).toEqual({ status: 201, mark: false });
  const copy = freshFolder();
  cpSync(data, copy, { recursive: true });
  expect(await start(copy)).toEqual({ status: 503, mark: false });
  expect(existsSync(join(copy, ".stopped"))).toBe(false);
});

test("checks a large database in a child process", async () => {
  const { data } = await filledFolder();
  const torn = tornCopy(data);
  const log: string[] = [];
  for (const [folder, isTorn] of [
    [data, false],
    [torn, true],
  ] as const) {
    const settings = { ...readSettings({ data: folder }, {}), url: "http://blog.test" };
    const platen = { ...createPlaten(settings, openDatabase(folder)), log: (line: string) => log.push(line) };
    let wasTold = false;
    const check = startCheck(platen, () => (wasTold = true), 0);
    expect(getDamage(platen)).toBe(null);
    await check.settled;
    expect([wasTold, check.isWhole(), getDamage(platen) !== null]).toEqual([isTorn, !isTorn, isTorn]);
    closeDatabase(platen.db);
  }
  expect(log).toEqual([expect.stringContaining("The database is damaged")]);
});

async function filledFolder(): Promise<{ data: string; key: string }> {
  const data = freshFolder();
  const setup = ["setup", "--email", "ada@example.com", "--title", "Ada", "--data", data];
  const key = (await runPlaten(setup)).stdout.trim();
  {
    await using server = await startServer({ data });
    await post(
      server,
      "/api/v1/posts",
      key,
      "application/json",
      '{"post":{"title":"First","status":"published"}}',
    );
    await server.stop();
  }
  expect((await runPlaten(["snapshot", "--data", data])).code).toBe(0);
  return { data, key };
}

function tornCopy(data: string): string {
  const copy = freshFolder();
  cpSync(data, copy, { recursive: true });
  checkpointWal(copy);
  damagePage(copy);
  return copy;
}

/** Checkpoints the whole WAL. */
function checkpointWal(folder: string): void {
  using db = new Database(join(folder, "platen.db"));
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Damages a page that no start reads. */
function damagePage(folder: string): void {
  const file = join(folder, "platen.db");
  using db = new Database(file, { readonly: true });
  const { page, size } = db
    .query(
      "SELECT rootpage AS page, page_size AS size FROM sqlite_master, pragma_page_size WHERE name = 'authorization_codes'",
    )
    .get() as { page: number; size: number };
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, (page - 1) * size, page * size));
}

function post(
  server: RunningServer,
  path: string,
  key: string,
  type: string,
  body: BodyInit,
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": type };
  return fetch(server.url + path, { method: "POST", headers, body });
}

/** A form with a picture. */
async function upload(): Promise<{ type: string; body: BodyInit }> {
  const form = new Response(uploadForm(await picture(20, 20, "png"), "a.png"));
  return { type: form.headers.get("content-type") as string, body: await form.bytes() };
}

test("a WAL with an empty or missing database is left unchanged, and recovered from the snapshot", async () => {
  const { data } = await filledFolder();
  for (const loss of [(file: string) => truncateSync(file), (file: string) => rmSync(file)]) {
    const copy = freshFolder();
    cpSync(data, copy, { recursive: true });
    loss(join(copy, "platen.db"));
    const log = readFileSync(join(copy, "platen.db-wal"));
    expect(log.length).toBeGreaterThan(0);
    for (const command of [
      ["serve", "--port", "0"],
      ["check"],
      ["check", "--quick"],
      ["snapshot"],
      ["account", "list"],
      ["setup", "--email", "eve@example.com", "--title", "Eve"],
      ["backup", join(copy, "..", "backups")],
    ]) {
      const refused = await runPlaten([...command, "--data", copy]);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toMatch(
        /^\S+platen\.db is (empty|missing), but platen\.db-wal contains recent changes\. Run: platen recover, or [^\n]+\n$/,
      );
    }
    expect((await runPlaten(["recover", "--data", copy])).stderr).toMatch(
      /^The database is damaged \(it is (empty|missing)\)\. The snapshot of .* lacks an unknown number of posts/,
    );
    expect(readFileSync(join(copy, "platen.db-wal"))).toEqual(log);
    expect((await runPlaten(["recover", "--yes", "--data", copy])).code).toBe(0);
    const [kept = ""] = readdirSync(copy).filter((name) => name.startsWith("torn-"));
    expect(readFileSync(join(copy, kept, "platen.db-wal"))).toEqual(log);
    expect((await runPlaten(["check", "--data", copy])).stdout).toBe(
      "Everything is in order: 1 post, 0 files.\n",
    );
  }
});
