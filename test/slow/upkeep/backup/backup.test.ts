import { expect, test } from "bun:test";
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { lockForBackup } from "../../../../src/database/folder-locks";
import { closeDatabase, openDatabase } from "../../../../src/database/open";
import { blobs, keys, posts } from "../../../../src/database/schema";
import { deleteBlobs } from "../../../../src/media/deleting-media";
import { blobInFolder, type StoredBlob } from "../../../../src/media/files/blobs";
import { mediaFolder } from "../../../../src/media/files/media-folder";
import { BACKUP_NAME } from "../../../../src/upkeep/backup/backup-contents";
import { openBackupStore } from "../../../../src/upkeep/backup/folder-and-s3-backups";
import { makeBackup } from "../../../../src/upkeep/backup/make-backup";
import { dice } from "../../../support/dice";
import { picture, uploadForm } from "../../../support/pictures";
import { startPlaten, type TestPlaten } from "../../../support/platen";
import { freshFolder, PROGRAM, runPlaten, startServer } from "../../../support/program";
import { until } from "../../../support/waiting";

const IN_ORDER = { code: 0, stdout: expect.stringContaining("Everything is in order"), stderr: "" };

async function upload({ fetch, key, platen }: TestPlaten, name: string): Promise<StoredBlob> {
  const answer = await fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: uploadForm(await picture(60 + name.length, 40, "png"), name),
  });
  const { attachment } = await answer.json();
  return blobInFolder(platen, basename(dirname(new URL(attachment.url).pathname))) as StoredBlob;
}

const backUp = (at: TestPlaten, to: string, ...more: string[]) =>
  runPlaten(["backup", to, ...more, "--data", at.platen.config.data]);

/** Finished backups, oldest first. */
const backupsIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => BACKUP_NAME.test(name))
        .sort()
    : [];

async function createBackup(at: TestPlaten, to: string): Promise<string> {
  const { stdout, stderr, code } = await backUp(at, to);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split(" ")[0] as string;
}

test("a backup made during writes contains all acknowledged changes, and is intact", async () => {
  const at = startPlaten();
  const to = freshFolder();
  const acknowledged: string[] = [];
  const write = async (title: string) => {
    expect((await at.api("POST", "/posts", { post: { title, status: "published" } })).status).toBe(201);
    return title;
  };
  for (let count = 0; count < 5; count++) acknowledged.push(await write(`Before ${count}`));
  const files = [await upload(at, "one.png"), await upload(at, "two.png")];

  let isOver = false;
  const made = createBackup(at, to).finally(() => {
    isOver = true;
  });
  for (let count = 0; !isOver; count++) {
    await write(`Meanwhile ${count}`);
    await upload(at, `meanwhile-${count}.png`);
    await new Promise(setImmediate);
  }
  const backup = await made;
  expect(await runPlaten(["check", "--data", backup])).toMatchObject(IN_ORDER);
  const restored = freshFolder();
  expect(await runPlaten(["restore", to, "--data", restored])).toMatchObject({ code: 0, stderr: "" });
  expect(await runPlaten(["check", "--data", restored])).toMatchObject(IN_ORDER);
  const db = openDatabase(restored);
  const titles = db.select({ title: posts.title }).from(posts).all();
  expect(acknowledged.filter((title) => !titles.some((post) => post.title === title))).toEqual([]);
  const folders = db.select({ folder: blobs.folder }).from(blobs).all();
  expect(folders).toEqual(expect.arrayContaining(files.map(({ folder }) => ({ folder }))));
  closeDatabase(db);
});

test("a restored folder serves the same pages and files to the same keys", async () => {
  const at = startPlaten();
  const file = await upload(at, "hills.png");
  const path = `/media/${file.folder}/${file.filename}`;
  const content = `<p>Hills</p><img src="http://blog.test${path}">`;
  await at.api("POST", "/posts", { post: { title: "Hills", status: "published", content } });
  // Some secrets are created by their first request.
  const pages = new Map<string, string>();
  for (const address of ["/", "/hills", "/feed.xml", "/archive"])
    pages.set(address, await (await at.fetch(address)).text());
  const restored = freshFolder();
  await runPlaten(["restore", await createBackup(at, freshFolder()), "--data", restored]);
  await using server = await startServer({ data: restored, env: { PLATEN_URL: "http://blog.test" } });
  const fetchRestored = async (address: string, init?: RequestInit) =>
    await (
      await fetch(server.url + address, { ...init, headers: { host: "blog.test", ...init?.headers } })
    ).text();
  for (const [address, page] of pages) expect(await fetchRestored(address)).toBe(page);
  expect(await (await fetch(server.url + path)).bytes()).toEqual(
    new Uint8Array(readFileSync(mediaFolder(at.platen, file.folder, file.filename))),
  );
  const headers = { authorization: `Bearer ${at.key}` };
  expect(JSON.parse(await fetchRestored("/api/v1/posts", { headers })).posts).toHaveLength(1);
});

test("unchanged files are shared by all backups, but not with the data folder", async () => {
  const at = startPlaten();
  const [kept, gone] = [await upload(at, "kept.png"), await upload(at, "gone.png")];
  const to = freshFolder();
  const first = await createBackup(at, to);
  await deleteBlobs(at.platen, () => [gone]);
  const late = await upload(at, "late.png");
  const second = await backUp(at, to);
  expect(second.stdout).toEndWith(" contains 2 media files, 1 of them new.\n");
  const [, latest = ""] = backupsIn(to).map((name) => join(to, name));
  const inode = (folder: string, { folder: of, filename }: StoredBlob) =>
    statSync(join(folder, "media", of, filename), { throwIfNoEntry: false })?.ino;

  expect(inode(latest, kept)).toBe(inode(first, kept) as number);
  expect(inode(first, kept)).not.toBe(inode(at.platen.config.data, kept) as number);
  expect(inode(first, gone)).toBeNumber();
  expect([inode(latest, gone), inode(first, late)]).toEqual([undefined, undefined]);
  for (const backup of [first, latest])
    expect(await runPlaten(["check", "--data", backup])).toMatchObject(IN_ORDER);
  const open = readdirSync(to, { recursive: true, encoding: "utf8" }).filter(
    (name) => (statSync(join(to, name)).mode & 0o077) !== 0,
  );
  expect(open).toEqual([]);
});

test.if(process.getuid?.() === 0)("files that root creates belong to the owner of their folder", async () => {
  const at = startPlaten();
  await upload(at, "one.png");
  const ownerOf = (folder: string) =>
    new Set(
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map(
        (name) => statSync(join(folder, name)).uid,
      ),
    );
  const [to, data] = [freshFolder(), freshFolder()];
  for (const folder of [to, data]) {
    mkdirSync(folder);
    chownSync(folder, 65_534, 65_534);
  }
  await createBackup(at, to);
  expect(ownerOf(to)).toEqual(new Set([65_534]));
  await runPlaten(["restore", to, "--data", data]);
  expect(ownerOf(data)).toEqual(new Set([65_534]));
});

test("a backup killed at any moment leaves earlier backups unchanged, and no partial one", async () => {
  const at = startPlaten();
  const to = freshFolder();
  for (let count = 0; count < 12; count++) await upload(at, `${"picture".repeat(count)}.png`);
  await createBackup(at, to);
  const { below } = dice(8);
  let killed = 0;
  // On a busy machine a backup may end before it is killed.
  for (let round = 0; round < 10 || killed < 5; round++) {
    // A second backup needs something to copy.
    for (let count = 0; count < 2; count++) await upload(at, `${round}-${count}.png`);
    const before = backupsIn(to);
    const child = Bun.spawn([...PROGRAM, "backup", to, "--keep", "1d", "--data", at.platen.config.data], {
      stdout: "ignore",
      stderr: "ignore",
    });
    const entries = below(45);
    const isTime = () =>
      namesBelow(to, (name) => !before.some((finished) => name.startsWith(finished))) > entries;
    while (child.exitCode === null && !isTime()) await new Promise(setImmediate);
    child.kill("SIGKILL");
    await child.exited;
    if (child.signalCode === "SIGKILL") killed++;
    const found = backupsIn(to);
    expect(found.length).toBeGreaterThan(0);
    for (const name of found) await restoreBackup(join(to, name));
  }
  await createBackup(at, to);
  expect(readdirSync(to).sort()).toEqual(backupsIn(to));
});

function namesBelow(folder: string, isMeant: (name: string) => boolean): number {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isMeant).length;
  } catch {
    return 0;
  }
}

async function restoreBackup(source: string): Promise<string> {
  const data = freshFolder();
  expect(await runPlaten(["restore", source, "--data", data])).toMatchObject({ code: 0, stderr: "" });
  return data;
}

test("a file deleted during a backup is not partly in it", async () => {
  const at = startPlaten();
  const [one, two] = [await upload(at, "one.png"), await upload(at, "two.png")];
  const to = freshFolder();
  const deletions = [two, one];
  // On a nearly full disk, files are deleted at once.
  await makeBackup(at.platen, openBackupStore(to, at.platen.config.data), () => {
    const next = deletions.pop();
    if (!next) return;
    deleteBlobs(at.platen, () => [next]);
    rmSync(mediaFolder(at.platen, next.folder), { recursive: true, force: true });
  });
  expect(await runPlaten(["check", "--data", join(to, backupsIn(to)[0] as string)])).toEqual({
    code: 0,
    stdout: "Everything is in order: 0 posts, 0 files.\n",
    stderr: "",
  });
});

test("missing files are reported, and the rest is backed up", async () => {
  const at = startPlaten();
  const [one, two] = [await upload(at, "one.png"), await upload(at, "two.png")];
  rmSync(mediaFolder(at.platen, one.folder), { recursive: true });
  appendFileSync(mediaFolder(at.platen, two.folder, two.filename), "more");
  const to = freshFolder();
  expect(await backUp(at, to)).toMatchObject({
    code: 0,
    stderr: [
      `Warning: media/${one.folder}/one.png is missing from the data folder.`,
      `Warning: media/${two.folder}/two.png in the data folder has changed since it was uploaded.\n`,
    ].join("\n"),
  });
  await restoreBackup(to);
});

test("--keep deletes older backups, and nothing else", async () => {
  const at = startPlaten();
  const to = freshFolder();
  const made = await createBackup(at, to);
  for (const name of ["2020-01-01-120000", "2020-01-01-180000", "2020-01-02-120000", "2020-02-01-120000"])
    cpSync(made, join(to, name), { recursive: true });
  rmSync(made, { recursive: true });
  writeFileSync(join(to, "notes.txt"), "mine");
  await backUp(at, to, "--keep", "2d,3m");
  const [newest] = backupsIn(to).slice(-1);
  expect(readdirSync(to).sort()).toEqual(
    ["2020-01-02-120000", "2020-02-01-120000", newest as string, "notes.txt"].sort(),
  );
});

test("a backup from the future neither replaces newer backups nor is restored by default", async () => {
  const at = startPlaten();
  const to = freshFolder();
  const made = await createBackup(at, to);
  const future = "2970-01-01-120000";
  renameSync(made, join(to, future));
  await at.api("POST", "/posts", { post: { title: "Later" } });
  await backUp(at, to, "--keep", "1d");
  expect(backupsIn(to)).toEqual([expect.any(String), future]);
  const data = freshFolder();
  const { stdout } = await runPlaten(["restore", to, "--data", data]);
  expect(stdout).not.toContain(future);
  rmSync(join(to, backupsIn(to)[0] as string), { recursive: true });
  expect((await runPlaten(["restore", to, "--data", freshFolder()])).stdout).toContain(future);
});

test("new rows after a restore get no ids of rows that the backup lacks", async () => {
  const at = startPlaten();
  await at.api("POST", "/posts", { post: { title: "Saved" } });
  const data = freshFolder();
  const backup = await createBackup(at, freshFolder());
  const ofLost = (await at.api("POST", "/posts", { post: { title: "Lost" } })).body.post.id;
  await runPlaten(["restore", backup, "--data", data]);
  const db = openDatabase(data);
  const next = new Map(
    db.$client.query("SELECT name, seq FROM sqlite_sequence").values() as [string, number][],
  );
  expect(next.get("posts")).toBeGreaterThan(ofLost);
  expect(next.get("newsletter_issues")).toBe(1000);
  closeDatabase(db);
});

test("the trash of an old backup is not deleted when its restored folder is served", async () => {
  const at = startPlaten();
  const { body } = await at.api("POST", "/posts", { post: { title: "Wanted back" } });
  await at.api("DELETE", `/posts/${body.post.id}`);
  const backup = await createBackup(at, freshFolder());
  const list = join(backup, "backup.json");
  const contents = JSON.parse(readFileSync(list, "utf8"));
  contents.database.modified = at.platen.now().getTime();
  writeFileSync(list, JSON.stringify(contents));
  const data = freshFolder();
  await runPlaten(["restore", backup, "--data", data]);
  await using server = await startServer({ data });
  await fetch(`${server.url}/api/v1/info`, { headers: { authorization: `Bearer ${at.key}` } });
  const db = openDatabase(data);
  // The same periodic step deletes expired posts and saves this time.
  const isKeyUseSaved = () => db.select().from(keys).get()?.lastUsedAt !== null;
  await until(isKeyUseSaved, "the first periodic step", () => null);
  expect(db.select().from(posts).all()).toHaveLength(1);
  closeDatabase(db);
});

test("restore accepts only an empty or new folder", async () => {
  const at = startPlaten();
  const to = freshFolder();
  const backup = await createBackup(at, to);
  const data = freshFolder();
  mkdirSync(data);
  writeFileSync(join(data, "notes.txt"), "mine");
  expect(await runPlaten(["restore", backup, "--data", data])).toEqual({
    code: 1,
    stdout: "",
    stderr: `${data} is not empty; restore to an empty or new folder: --data DIR.\n`,
  });
  expect(readdirSync(data)).toEqual(["notes.txt"]);
  rmSync(join(data, "notes.txt"));
  expect(await runPlaten(["restore", backup, "--data", data])).toMatchObject({ code: 0 });
  // As after a process that was killed halfway.
  const half = freshFolder();
  mkdirSync(join(half, "media", "left"), { recursive: true });
  writeFileSync(join(half, ".restoring.db"), "half");
  expect(await runPlaten(["restore", backup, "--data", half])).toMatchObject({ code: 0 });
  expect(readdirSync(half).sort()).toEqual(["media", "platen.db"]);
  expect(readdirSync(join(half, "media"))).toEqual([]);
  const empty = freshFolder();
  expect(await runPlaten(["restore", empty, "--data", data])).toMatchObject({
    code: 1,
    stderr: `There is no backup in ${empty}.\n`,
  });
});

test("a damaged backup is rejected, names the damage, and leaves no folder", async () => {
  const at = startPlaten();
  const file = await upload(at, "one.png");
  const backup = await createBackup(at, freshFolder());
  const path = `media/${file.folder}/one.png`;
  const originals = [path, "platen.db", "backup.json"].map(
    (name) => [name, readFileSync(join(backup, name))] as const,
  );
  const changeFile = (name: string, bytes: Buffer) => {
    const other = Buffer.from(bytes);
    other[bytes.length >> 1] = (other[bytes.length >> 1] as number) ^ 1;
    writeFileSync(join(backup, name), other);
  };
  const [media, database, list] = originals.map(([name, bytes]) => ({ name, bytes })) as KeptFiles;
  const DAMAGES: [() => void, string][] = [
    [() => rmSync(join(backup, media.name)), `is damaged: ${path} is missing.`],
    [
      () => appendFileSync(join(backup, media.name), "more"),
      `is damaged: ${path} differs from the file that was backed up.`,
    ],
    [
      () => changeFile(media.name, media.bytes),
      `is damaged: ${path} differs from the file that was backed up.`,
    ],
    [
      () => changeFile(database.name, database.bytes),
      "is damaged: platen.db differs from the file that was backed up.",
    ],
    [() => rmSync(join(backup, list.name)), "is not a backup: it has no backup.json."],
    [() => writeFileSync(join(backup, list.name), "{"), "is damaged: its backup.json cannot be read."],
    [
      () => writeFileSync(join(backup, list.name), list.bytes.toString().replace(path, "media/../evil")),
      "is damaged: its backup.json cannot be read.",
    ],
  ];
  const data = freshFolder();
  for (const [damage, told] of DAMAGES) {
    damage();
    expect(await runPlaten(["restore", backup, "--data", data])).toEqual({
      code: 1,
      stdout: "",
      stderr: `${backup} ${told}\n`,
    });
    expect(existsSync(data)).toBe(false);
    for (const [name, bytes] of originals) writeFileSync(join(backup, name), bytes);
  }
  await restoreBackup(backup);
});

type KeptFiles = [NamedFile, NamedFile, NamedFile];
interface NamedFile {
  name: string;
  bytes: Buffer;
}

test("a folder with a missing or damaged database is not backed up", async () => {
  const at = startPlaten();
  const to = freshFolder();
  const good = await createBackup(at, to);
  const expectRejection = async (data: string, why: string) => {
    const ended = await runPlaten(["backup", to, "--keep", "1d", "--data", data]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(new RegExp(`^No backup was made: [^\\n]*${why}[^\\n]*[^.]\\.\\n$`));
    expect(backupsIn(to)).toEqual([basename(good)]);
  };
  const lost = freshFolder();
  closeDatabase(openDatabase(lost));
  mkdirSync(join(lost, "media", "a".repeat(32)), { recursive: true });
  await expectRejection(lost, "the database of these uploads is lost");

  const damaged = freshFolder();
  cpSync(good, damaged, { recursive: true });
  const database = join(damaged, "platen.db");
  writeFileSync(database, readFileSync(database).fill(0x5a, 8 * 4096, 12 * 4096));
  await expectRejection(damaged, "platen.db is damaged");
  writeFileSync(database, "this is no database, whatever its name says".repeat(200));
  await expectRejection(damaged, "platen.db is no");
});

test("one backup of a folder runs at a time; an impossible one is reported in one line", async () => {
  const at = startPlaten();
  const { data } = at.platen.config;
  const file = freshFolder();
  writeFileSync(file, "a file");
  expect(await backUp(at, join(file, "backups"))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^[^\n]+: a part of its path is a file, not a folder\.\n$/),
  });
  expect(await backUp(at, "https://example.com/")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      '"https://example.com/" is neither a folder nor s3://bucket/prefix. Type: platen backup DEST',
    ),
  });
  expect(await backUp(at, file, "--keep", "7 days")).toMatchObject({ code: 2 });
  lockForBackup(data);
  expect(await backUp(at, freshFolder())).toEqual({
    code: 1,
    stdout: "",
    stderr: `Another backup of ${data} is running; wait until it is done.\n`,
  });
});

test("a backup into the data folder is rejected, by any path", async () => {
  const at = startPlaten();
  const { data } = at.platen.config;
  const before = readdirSync(data);
  const link = freshFolder();
  symlinkSync(data, link);
  for (const to of [
    data,
    join(data, "backups"),
    join(data, "media", "a", "b"),
    link,
    join(link, "backups"),
  ]) {
    expect(await backUp(at, to)).toEqual({
      code: 1,
      stdout: "",
      stderr: `${to} is inside the data folder; choose another folder, on another disk if possible.\n`,
    });
    expect(await runPlaten(["serve", "--port", "0", "--data", data], { env: { PLATEN_BACKUP: to } })).toEqual(
      {
        code: 2,
        stdout: "",
        stderr: `PLATEN_BACKUP is "${to}", which is inside the data folder; choose another folder, on another disk if possible.\n`,
      },
    );
  }
  expect(readdirSync(data).filter((name) => name !== ".serving")).toEqual(before);
  // A sibling whose name begins like the folder's.
  expect((await backUp(at, `${data}-backups`)).code).toBe(0);
  rmSync(`${data}-backups`, { recursive: true });
});

test("the files in public/ and themes/ are backed up and restored", async () => {
  const at = startPlaten();
  const to = freshFolder();
  const own = join(at.platen.config.data, "public");
  mkdirSync(join(own, ".well-known"), { recursive: true });
  writeFileSync(join(own, "ads.txt"), "ads");
  writeFileSync(join(own, ".well-known/nostr.json"), "{}");
  symlinkSync("/etc/hostname", join(own, "link.txt"));
  mkdirSync(join(at.platen.config.data, "themes/quarto"), { recursive: true });
  writeFileSync(join(at.platen.config.data, "themes/quarto/theme.css"), "p{color:teal}");
  await createBackup(at, to);
  writeFileSync(join(own, "ads.txt"), "other ads");
  expect((await backUp(at, to)).stdout).toEndWith(" contains 0 media files, 0 of them new.\n");
  const second = join(to, backupsIn(to).at(-1) as string);

  const data = join(freshFolder(), "restored");
  expect(await runPlaten(["restore", to, "--data", data])).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(join(data, "public/ads.txt"), "utf8")).toBe("other ads");
  expect(readFileSync(join(data, "public/.well-known/nostr.json"), "utf8")).toBe("{}");
  expect(existsSync(join(data, "public/link.txt"))).toBe(false);
  expect(readFileSync(join(data, "themes/quarto/theme.css"), "utf8")).toBe("p{color:teal}");
  expect(await runPlaten(["check", "--data", data])).toMatchObject(IN_ORDER);

  writeFileSync(join(second, "public/ads.txt"), "damaged");
  const refused = await runPlaten(["restore", second, "--data", `${data}-2`]);
  expect(refused.stderr).toContain("public/ads.txt differs from the file that was backed up");
  expect(existsSync(`${data}-2`)).toBe(false);
});
