import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { platenOn } from "../../src/commands/shell/data-folder";
import { readSettings } from "../../src/config/config";
import { closeDatabase, openDatabase } from "../../src/database/open";
import { foundDamage } from "../../src/upkeep/copies/damaged-database";
import { startCheck } from "../../src/upkeep/copies/start-check";
import { until } from "../support/patience";
import { picture, uploadForm } from "../support/pictures";
import { freshFolder, type RunningServer, runPlaten, runToEnd, startServer } from "../support/program";

test("a torn folder is served for reading only, in every door's words, until a snapshot takes its place", async () => {
  const { data, key } = await filledFolder();
  const torn = tornCopy(data);
  {
    await using server = await startServer({ data: torn });
    await server.complains(/\n/);
    expect(server.stderr()).toContain(`type: platen recover --data ${torn}`);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      503,
      "The database is damaged and only read; type: platen recover\n",
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
    /^The database is damaged \([^\n]+\)\. The snapshot of 20\d\d-\d\d-\d\d \d\d:\d\d UTC lacks \d+ posts?, 0 komments, 0 messages, 0 uploads, and what was changed since in \d+ posts?\. Type: platen recover --yes --data /;
  const offered = await runPlaten(["recover", "--data", torn]);
  expect(offered).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(says) });
  const before = readFileSync(join(torn, "platen.db"));
  const recovered = await runPlaten(["recover", "--yes", "--data", torn]);
  expect(recovered).toMatchObject({ code: 0, stderr: "" });
  const kept = readdirSync(torn).filter((name) => name.startsWith("torn-"));
  expect(recovered.stdout).toContain(join(torn, kept[0] as string));
  expect(readFileSync(join(torn, kept[0] as string, "platen.db"))).toEqual(before);
  expect((await runPlaten(["check", "--data", torn])).stdout).toBe(
    "Everything is in order: 1 post, 0 files.\n",
  );
  expect((await runPlaten(["recover", "--yes", "--data", torn])).stdout).toStartWith("The database is whole");
  const added = await runPlaten(["account", "add", "--email", "bo@example.com", "--data", torn]);
  expect(added.code).toBe(0);
  await using again = await startServer({ data: torn });
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  expect(
    (await post(again, "/api/v1/posts", key, "application/json", '{"post":{"title":"Yes"}}')).status,
  ).toBe(201);
});

test("without a whole snapshot nothing is recovered, and nothing is changed", async () => {
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
    expect(refused.stderr).toContain("there is no whole snapshot.db beside it");
    expect(readFileSync(join(torn, "platen.db"))).toEqual(before);
  }
});

test("no snapshot is made of a torn database: it would take the place of a whole one", async () => {
  const { data } = await filledFolder();
  const torn = tornCopy(data);
  const before = readFileSync(join(torn, "snapshot.db"));
  const refused = await runPlaten(["snapshot", "--data", torn]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^snapshot\.db was not written: platen\.db is damaged \([^\n]+\n$/);
  expect(readFileSync(join(torn, "snapshot.db"))).toEqual(before);
});

test("a copy is looked at when it is started, a folder that was stopped in order and left alone is not", async () => {
  const { data, key } = await filledFolder();
  foldLog(data);
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
  // Damage in what no start reads, and no size shows.
  tear(data);
  expect(await start(data)).toEqual({ status: 201, mark: false });
  const copy = freshFolder();
  cpSync(data, copy, { recursive: true });
  expect(await start(copy)).toEqual({ status: 503, mark: false });
  expect(existsSync(join(copy, ".stopped"))).toBe(false);
});

test("a large database is looked at by a process beside the server", async () => {
  const { data } = await filledFolder();
  const torn = tornCopy(data);
  const log: string[] = [];
  for (const [folder, isTorn] of [
    [data, false],
    [torn, true],
  ] as const) {
    const settings = { ...readSettings({ data: folder }, {}), url: "http://blog.test" };
    const platen = { ...platenOn(settings, openDatabase(folder)), log: (line: string) => log.push(line) };
    let wasTold = false;
    const check = startCheck(platen, () => (wasTold = true), 0);
    expect(foundDamage(platen)).toBe(null);
    await check.settled;
    expect([wasTold, check.isWhole(), foundDamage(platen) !== null]).toEqual([isTorn, !isTorn, isTorn]);
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
  foldLog(copy);
  tear(copy);
  return copy;
}

/** Moves all of the log into the file. */
function foldLog(folder: string): void {
  using db = new Database(join(folder, "platen.db"));
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Damages a page that no start reads. */
function tear(folder: string): void {
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

/** A form with a picture in it. */
async function upload(): Promise<{ type: string; body: BodyInit }> {
  const form = new Response(uploadForm(await picture(20, 20, "png"), "a.png"));
  return { type: form.headers.get("content-type") as string, body: await form.bytes() };
}

test("a log that is deleted under a running server takes nothing with it: the server says so and ends", async () => {
  const { data, key } = await filledFolder();
  {
    await using server = await startServer({ data });
    const made = await post(server, "/api/v1/posts", key, "application/json", '{"post":{"title":"Kept"}}');
    expect(made.status).toBe(201);
    rmSync(join(data, "platen.db-wal"));
    expect(await server.ended).toBe(1);
    expect(server.stderr()).toContain("platen.db-wal was deleted");
  }
  expect((await runPlaten(["check", "--data", data])).code).toBe(0);
  await using again = await startServer({ data });
  const headers = { authorization: `Bearer ${key}` };
  const found = await (await fetch(`${again.url}/api/v1/posts?status=all&search=kept`, { headers })).json();
  expect(found.posts).toHaveLength(1);
});

test("a log that a command begins in the place of a deleted one does not hide what was written before", async () => {
  const { data, key } = await filledFolder();
  const other = freshFolder();
  cpSync(join(data, "platen.db"), join(other, "platen.db"));
  expect((await runPlaten(["account", "list", "--data", other])).code).toBe(0);
  await using server = await startServer({ data });
  expect(
    (await post(server, "/api/v1/posts", key, "application/json", '{"post":{"title":"Kept"}}')).status,
  ).toBe(201);
  for (const name of ["platen.db-wal", "platen.db-shm"]) rmSync(join(data, name));
  cpSync(join(other, "platen.db-wal"), join(data, "platen.db-wal"));
  {
    // As a command that is at work: while another has the database open, nobody deletes the log.
    using command = new Database(join(data, "platen.db"), { readonly: true });
    expect(command.query("SELECT count(*) AS n FROM posts").get()).toEqual({ n: 0 });
    expect(await server.ended).toBe(1);
  }
  expect((await runPlaten(["check", "--data", data])).stdout).toBe(
    "Everything is in order: 2 posts, 0 files.\n",
  );
});

test("log and index deleted together: commands wait until the server has saved what it had, and then find everything", async () => {
  const { data, key } = await filledFolder();
  const backups = freshFolder();
  const commands = [
    ["account", "list"],
    ["blog", "set", "ada", "--title", "New"],
    ["check"],
    ["backup", backups],
  ];
  const typed = (command: string[]) => runPlaten([...command, "--data", data]);
  const GIVEN_UP = `platen.db-wal or platen.db-shm in ${data} was deleted while Platen is running. Stop Platen, then start it again.\n`;
  await using server = await startServer({ data });
  const made = await post(server, "/api/v1/posts", key, "application/json", '{"post":{"title":"Kept"}}');
  expect(made.status).toBe(201);
  process.kill(server.pid, "SIGSTOP");
  for (const name of ["platen.db-wal", "platen.db-shm"]) rmSync(join(data, name));
  expect(await Promise.all(commands.map(typed))).toEqual(
    commands.map(() => ({ code: 1, stdout: "", stderr: GIVEN_UP })),
  );
  process.kill(server.pid, "SIGCONT");
  // On a busy machine one may give up once more.
  const typedUntilDone = async (command: string[]) => {
    let ended = await typed(command);
    while (ended.stderr === GIVEN_UP) ended = await typed(command);
    return ended;
  };
  const [accounts, set, check, backup] = await Promise.all(commands.map(typedUntilDone));
  expect(await server.ended).toBe(1);
  expect(accounts).toMatchObject({ code: 0, stdout: expect.stringContaining("ada@example.com") });
  expect(check).toMatchObject({ code: 0, stdout: "Everything is in order: 2 posts, 0 files.\n" });
  expect([set?.code, backup?.code]).toEqual([0, 0]);
  expect((await runPlaten(["blog", "list", "--data", data])).stdout).toContain("New");
  const restored = freshFolder();
  expect((await runPlaten(["restore", backups, "--data", restored])).code).toBe(0);
  expect((await runPlaten(["check", "--data", restored])).stdout).toContain("2 posts");
});

test("a command that has begun another log when the server saves the lost one leaves alone what was saved", async () => {
  const { data } = await filledFolder();
  const [log, index] = [join(data, "platen.db-wal"), join(data, "platen.db-shm")];
  cpSync(log, `${log}.lost`);
  rmSync(log);
  // As a command does, beside which the server saves what it has, puts the other log aside, and ends.
  const command = `
    import { cpSync, renameSync, rmSync } from "node:fs";
    import { closeDatabase, openDatabase } from ${JSON.stringify(join(import.meta.dir, "../../src/database/open"))};
    const db = openDatabase(${JSON.stringify(data)});
    renameSync(${JSON.stringify(log)}, ${JSON.stringify(`${log}.other`)});
    rmSync(${JSON.stringify(index)});
    closeDatabase(db);
    renameSync(${JSON.stringify(`${log}.lost`)}, ${JSON.stringify(log)});`;
  const file = readFileSync(join(data, "platen.db"));
  expect(await runToEnd([process.execPath, "-e", command])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(readFileSync(join(data, "platen.db"))).toEqual(file);
  expect((await runPlaten(["check", "--data", data])).stdout).toBe(
    "Everything is in order: 1 post, 0 files.\n",
  );
});

test("where the log's index alone is deleted under a running server, nothing is lost either", async () => {
  const { data, key } = await filledFolder();
  await using server = await startServer({ data });
  const made = await post(server, "/api/v1/posts", key, "application/json", '{"post":{"title":"Kept"}}');
  expect(made.status).toBe(201);
  rmSync(join(data, "platen.db-shm"));
  const set = await runPlaten(["blog", "set", "ada", "--title", "New", "--data", data]);
  expect(set).toMatchObject({ code: 0, stderr: "" });
  expect(await server.ended).toBe(1);
  expect(server.stderr()).toMatch(/^platen\.db-shm was deleted, [^\n]+\n$/);
  expect((await runPlaten(["blog", "list", "--data", data])).stdout).toContain("New");
  expect((await runPlaten(["check", "--data", data])).stdout).toContain("2 posts");
});

test("a database that is overwritten in place under a running server is written to no more, and says so", async () => {
  const { data, key } = await filledFolder();
  const file = join(data, "platen.db");
  const before = readFileSync(file);
  const create = (title: string) =>
    post(server, "/api/v1/posts", key, "application/json", JSON.stringify({ post: { title } }));
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  await using server = await startServer({ data });
  expect((await create("Kept")).status).toBe(201);
  // Neither a change of its owner nor of its mode is one of what it holds.
  chmodSync(file, 0o600);
  writeFileSync(file, Buffer.alloc(before.length, "something else"));
  await until(async () => (await ready()) !== 200, "the server not to be ready", server.stderr);
  expect(await ready()).toBe(503);
  expect((await create("Lost")).status).toBe(503);
  await server.complains(/\n/);
  expect(server.stderr()).toMatch(
    /^The database is damaged \(platen\.db was overwritten while Platen was running\)\. It is only read from now on\. [^\n]+\n$/,
  );
  expect((await runPlaten(["blog", "set", "ada", "--title", "New", "--data", data])).code).not.toBe(0);
  expect(await server.stop()).toBe(0);

  // With the file of before the log holds everything still.
  writeFileSync(file, before);
  expect((await runPlaten(["recover", "--data", data])).stdout).toContain("The database is whole");
  await using again = await startServer({ data });
  const headers = { authorization: `Bearer ${key}` };
  const found = await (await fetch(`${again.url}/api/v1/posts?status=all`, { headers })).json();
  expect(found.posts.map(({ title }: { title: string }) => title).sort()).toEqual(["First", "Kept"]);
});

test("a database that is deleted, emptied or replaced under a running server is in the snapshot", async () => {
  const { data, key } = await filledFolder();
  const file = join(data, "platen.db");
  const losses = {
    // As long as the log holds all of it, which here it does.
    emptied: () => truncateSync(file),
    deleted: () => rmSync(file),
    replaced: () => cpSync(join(data, "snapshot.db"), `${file}.new`),
  };
  for (const [title, lose] of Object.entries(losses)) {
    await using server = await startServer({ data });
    const made = await post(
      server,
      "/api/v1/posts",
      key,
      "application/json",
      JSON.stringify({ post: { title } }),
    );
    expect(made.status).toBe(201);
    lose();
    if (title === "replaced") renameSync(`${file}.new`, file);
    expect(await server.ended).toBe(1);
    expect(server.stderr()).toContain("All that was in it is in snapshot.db.");
    if (title === "replaced") cpSync(join(data, "snapshot.db"), file);
    else expect((await runPlaten(["recover", "--yes", "--data", data])).code).toBe(0);
    expect((await runPlaten(["check", "--data", data])).code).toBe(0);
  }
  await using again = await startServer({ data });
  const headers = { authorization: `Bearer ${key}` };
  const found = await (await fetch(`${again.url}/api/v1/posts?status=all`, { headers })).json();
  expect(found.posts.map(({ title }: { title: string }) => title).sort()).toEqual([
    "First",
    ...Object.keys(losses).sort(),
  ]);
});

test("a log whose database is empty or missing is left alone by every command, and recovered from the snapshot", async () => {
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
        /^\S+platen\.db is (empty|missing), but platen\.db-wal beside it holds what was written last\. Type: platen recover, or [^\n]+\n$/,
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
