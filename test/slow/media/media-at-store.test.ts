import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { eq } from "drizzle-orm";
import sharp from "sharp";
import { blobs } from "../../../src/database/schema";
import { deleteBlobs } from "../../../src/media/deleting-media";
import { queuedKeys } from "../../../src/media/files/media-store";
import { picture as made, upload } from "../../media/samples";
import { FILM, filesIn, filesInBucket, startWithStore } from "../../media/store/with-store";
import { openWithoutPlaten } from "../../support/other-program";
import { picture } from "../../support/pictures";
import { startPlaten } from "../../support/platen";
import { freshFolder, runPlaten, startServer } from "../../support/program";

test("uploads move to S3 and back unchanged, and their URLs work all the time", async () => {
  await using at = await startWithStore();
  const turned = await picture(60, 40, "png");
  const paths = [
    await at.upload("two cats & a 'dog' 猫 + 100% #1?.jpg"),
    await at.upload("plain.png", turned),
    await at.upload("film.webm", FILM, await picture(300, 200)),
  ];
  const answers = async () =>
    await Promise.all(
      paths.map(async (path) => {
        const answer = await at.get(path);
        const { headers } = answer;
        const headerNames = [
          "content-type",
          "etag",
          "cache-control",
          "accept-ranges",
          "content-security-policy",
        ];
        return [answer.status, headerNames.map((name) => headers.get(name)), Bun.hash(await answer.bytes())];
      }),
    );
  const [files, before] = [at.inFolder(), await answers()];
  expect(before.map(([status]) => status)).toEqual([200, 200, 200]);
  expect(files.size).toBe(4);

  const moved = await at.move();
  expect(moved).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Moved 3 files \(11\.[4-6] MB\) to s3:\/\/shelf\/blog; new uploads go there too\.\n$/,
    ),
  });
  expect(filesInBucket(at.store)).toEqual(files);
  expect(at.inFolder().size).toBe(0);
  expect(await answers()).toEqual(before);

  expect(await at.move("folder")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("from s3://shelf/blog to the data folder; new uploads stay there."),
    stderr: "",
  });
  expect(at.inFolder()).toEqual(files);
  expect(filesInBucket(at.store).size).toBe(0);
  expect(await answers()).toEqual(before);
  expect(await at.run("check")).toMatchObject({ code: 0, stderr: "" });
  expect((await at.move("folder")).stdout).toBe("All files are already in the data folder.\n");
});

test("a file damaged in S3 is detected when it is sent, served, checked or fetched", async () => {
  await using at = await startWithStore();
  const [first, second] = [await at.upload("a.jpg"), await at.upload("b.jpg")];
  await at.server.stop();
  const files = at.inFolder();
  const key = `blog${second}`;
  const damageFile = () => at.store.write(key, at.store.read(key).fill(1, 100, 200));
  at.store.gate((line) => {
    if (line === `GET /shelf/${key}`) damageFile();
    return "pass";
  });
  expect(await at.move()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `s3://shelf/blog is damaged: ${second.slice(1)} is not what was sent there.`,
    ),
  });
  expect([...at.inFolder().keys()]).toEqual([second.slice(1)]);
  at.store.gate(() => "pass");
  // It has the same length but other content, so it is sent again.
  expect(await at.move()).toMatchObject({ code: 0 });
  expect(filesInBucket(at.store)).toEqual(files);

  damageFile();
  const back = await at.move("folder");
  expect(back.code).toBe(1);
  expect(back.stderr).toStartWith(
    `s3://shelf/blog is damaged: ${second.slice(1)} is not what was sent there.\n`,
  );
  expect([...at.inFolder().keys()]).toEqual([first.slice(1)]);
  expect(readdirSync(join(at.data, "media/.incoming"))).toEqual([]);
  expect(filesInBucket(at.store).has(second.slice(1))).toBe(true);

  at.store.write(key, at.store.read(key).subarray(5));
  await using server = await startServer({ data: at.data, env: at.store.env });
  expect((await fetch(server.url + second)).status).toBe(503);
  expect(await at.run("check")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/b\.jpg has \d+ bytes instead of \d+\.\n/),
  });
});

test("after the move, uploads are sent to S3, renditions are recreated, and deleted files are deleted there", async () => {
  await using at = await startWithStore();
  const film = await at.upload("film.webm", FILM);
  await at.move();
  const cat = await at.upload("cat.jpg");
  await at.until(() => at.inFolder().size === 0 && filesInBucket(at.store).size === 2);
  const folder = cat.split("/").slice(0, 3).join("/");
  rmSync(join(at.data, folder), { recursive: true });
  const size = await at.get(`${folder}/sizes/480.webp`);
  expect([size.status, size.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(await sharp(await size.bytes()).metadata()).toMatchObject({ format: "webp", width: 480 });

  const part = async (range: string, headers = {}) => {
    const answer = await at.get(film, { headers: { range, ...headers } });
    const bytes = await answer.bytes();
    return [answer.status, answer.headers.get("content-range"), Buffer.from(bytes)] as const;
  };
  expect(await part("bytes=0-3")).toEqual([206, "bytes 0-3/12000035", FILM.subarray(0, 4)]);
  expect(await part("bytes=-7")).toEqual([206, "bytes 12000028-12000034/12000035", Buffer.from("the end")]);
  expect((await part("bytes=11000000-"))[2].equals(FILM.subarray(11_000_000))).toBe(true);
  expect((await part("bytes=12000035-")).slice(0, 2)).toEqual([416, "bytes */12000035"]);
  const whole = await at.get(film, { method: "HEAD" });
  expect([whole.headers.get("content-length"), whole.headers.get("accept-ranges")]).toEqual([
    "12000035",
    "bytes",
  ]);
  const etag = whole.headers.get("etag") as string;
  expect((await part("bytes=0-3", { "if-range": etag }))[0]).toBe(206);
  expect((await part("bytes=0-3", { "if-range": '"another"' }))[0]).toBe(200);
  at.store.takeRequests();
  expect((await at.get(film, { headers: { "if-none-match": etag } })).status).toBe(304);
  expect(at.store.takeRequests()).toEqual([]);
  expect((await at.get(film.replace("film", "other"))).status).toBe(404);

  await at.delete(cat);
  await at.until(() => filesInBucket(at.store).size === 1);
  expect((await at.get(cat)).status).toBe(404);
});

test("exports include files in S3; a backup says that it does not", async () => {
  await using at = await startWithStore();
  const cat = await at.upload("cat.jpg");
  const film = await at.upload("film.webm", FILM, await picture(300, 200));
  const files = at.inFolder();
  const content = `<img src="${at.server.url}${cat}"><video src="${at.server.url}${film}"></video>`;
  await fetch(`${at.server.url}/api/v1/posts`, {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}`, "content-type": "application/json" },
    body: JSON.stringify({ post: { title: "Cat", status: "published", content } }),
  });
  await at.move();
  const hashIn = (...path: string[]) => Bun.hash(readFileSync(join(...path))).toString();
  const [markdown, site] = [freshFolder(), freshFolder()];
  for (const [format, to] of [
    ["markdown", markdown],
    ["static", site],
  ] as const)
    expect(await at.run("export", format, to, "--blog", "ada")).toMatchObject({ code: 0, stderr: "" });
  expect(hashIn(markdown, "media/cat.jpg")).toBe(files.get(cat.slice(1)) as string);
  expect(hashIn(markdown, "media/film.webm")).toBe(files.get(film.slice(1)) as string);
  expect(hashIn(site, decodeURIComponent(cat))).toBe(files.get(cat.slice(1)) as string);
  const archive = `${freshFolder()}.zip`;
  await at.run("export", "platen", archive, "--blog", "ada");
  const other = freshFolder();
  await runPlaten(["setup", "--email", "b@example.com", "--title", "B", "--slug", "b", "--data", other]);
  expect(await runPlaten(["import", "platen", archive, "--blog", "b", "--data", other])).toMatchObject({
    code: 0,
  });
  expect([...filesIn(other).values()].sort()).toEqual([...files.values()].sort());
  // Files fetched for them are not stored.
  expect([at.inFolder().size, readdirSync(join(at.data, "media/.incoming"))]).toEqual([0, []]);

  const copy = await at.run("backup", freshFolder());
  expect(copy).toMatchObject({ code: 0, stdout: expect.stringContaining(" contains 0 media files, ") });
  expect(copy.stderr).toBe(
    "2 uploads at s3://shelf/blog are not in the backup: turn on versioning for that bucket.\n",
  );
});

test("one move runs at a time; a simultaneous backup is complete, and uploads and deletions take effect", async () => {
  await using at = await startWithStore();
  const gone = await at.upload("gone.jpg");
  for (const name of ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg"]) await at.upload(name);
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<"pass">()];
  // All four simultaneous transfers stop halfway.
  at.store.gate((line) => {
    if (!line.startsWith("PUT") || !/\.jpg$/.test(line)) return "pass";
    reached.resolve();
    return goOn.promise;
  });
  const first = at.move();
  await reached.promise;
  expect(await at.move()).toEqual({
    code: 1,
    stdout: "",
    stderr: `The media of ${at.data} are already being moved; wait until that is done.\n`,
  });
  expect((await at.move("folder")).code).toBe(1);
  const late = await at.upload("late.png", await picture(64, 48, "png"));
  await at.delete(gone);
  const backups = freshFolder();
  const backup = await at.run("backup", backups);
  expect(backup).toMatchObject({ code: 0, stderr: "" });
  goOn.resolve("pass");
  expect((await first).code).toBe(0);
  await at.until(() => at.inFolder().size === 0 && filesInBucket(at.store).size === 6);
  expect([...filesInBucket(at.store).keys()].some((key) => late.endsWith(key))).toBe(true);
  expect((await at.get(late)).status).toBe(200);
  expect((await at.get(gone)).status).toBe(404);
  expect(await at.run("check")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("Warning") });

  const restored = freshFolder();
  const env = { ...at.store.env, PLATEN_DATA: restored };
  expect((await runPlaten(["restore", backups], { env })).code).toBe(0);
  expect((await runPlaten(["check"], { env })).code).toBe(0);
  expect(filesIn(restored).size).toBe(6);
});

test("a file deleted during its move, in either direction, is deleted everywhere and no error", async () => {
  await using at = await startWithStore();
  const film = await at.upload("film.webm", FILM, await picture(300, 200));
  const cat = await at.upload("cat.jpg");
  const moveWhileDeleting = async (to: string, waits: RegExp, path: string) => {
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<"pass">()];
    at.store.gate((line) => {
      if (!waits.test(line)) return "pass";
      reached.resolve();
      return goOn.promise;
    });
    const moved = at.move(to);
    await reached.promise;
    await at.delete(path);
    goOn.resolve("pass");
    return await moved;
  };
  expect(await moveWhileDeleting(at.store.place, /^PUT .*(film|poster)/, film)).toMatchObject({ code: 0 });
  await at.until(() => filesInBucket(at.store).size === 1 && at.inFolder().size === 0);
  const back = await moveWhileDeleting("folder", /^GET .*cat\.jpg/, cat);
  expect(back).toMatchObject({ code: 0, stderr: "" });
  expect([at.inFolder().size, filesInBucket(at.store).size]).toEqual([0, 0]);
  expect(await at.run("check")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("Warning") });
});

test("a folder uses one S3 bucket; a wrong destination and a failing bucket are reported in one line", async () => {
  await using at = await startWithStore();
  await at.upload("cat.jpg");
  const refused = (code: number, stderr: string) => ({ code, stdout: "", stderr });
  const usage = "Type: platen media move --to PLACE [--data DIR]\n";
  expect(await at.run("media", "move")).toEqual(refused(2, `--to is missing. ${usage}`));
  expect(await at.move("./elsewhere")).toEqual(
    refused(2, `--to is "./elsewhere"; it must be s3://bucket/prefix or folder. ${usage}`),
  );
  expect(await at.move("s3://nowhere")).toEqual(refused(1, "s3://nowhere cannot be used: NoSuchBucket.\n"));
  expect(await at.move("folder")).toMatchObject({
    code: 0,
    stdout: "All files are already in the data folder.\n",
  });
  at.store.gate((line) => (line.startsWith("PUT") ? "refuse" : "pass"));
  expect(await at.move()).toEqual(
    refused(1, expect.stringMatching(/^s3:\/\/shelf\/blog cannot be used: .*\.\n$/)),
  );
  expect(at.inFolder().size).toBe(1);
  at.store.gate(() => "pass");
  expect(await at.move()).toMatchObject({ code: 0 });
  expect(await at.move("s3://shelf/other")).toEqual(
    refused(1, "Media are at s3://shelf/blog. Move them back first with --to folder.\n"),
  );
  expect((await at.run("doctor")).stdout).toContain("✓ media: 1 at s3://shelf/blog, 0 in the folder.\n");
  expect((await at.run("check")).stdout).toStartWith("Everything is in order: 0 posts, 1 file");
});

test("a file that the server itself sends to S3 during a move is not an error", async () => {
  await using at = await startWithStore();
  await at.move();
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<"pass">()];
  let puts = 0;
  at.store.gate(async (line) => {
    if (!line.startsWith("PUT")) return "pass";
    if (++puts > 1) {
      goOn.resolve("pass");
      await at.until(() => at.inFolder().size === 0);
      return "break";
    }
    reached.resolve();
    return await goOn.promise;
  });
  await at.upload("cat.jpg");
  await reached.promise;
  expect(await at.move()).toMatchObject({ code: 0, stdout: expect.stringContaining("Moved 1 file ") });
  expect(filesInBucket(at.store).size).toBe(1);
});

test("a replacement is sent to S3, and the old file deleted there", async () => {
  await using at = await startWithStore();
  const oldPath = await at.upload("cat.jpg");
  await at.move();
  const now = await at.replace("cat.jpg", await picture(700, 500));
  await at.until(() => filesInBucket(at.store).size === 1 && at.inFolder().size === 0);
  expect([...filesInBucket(at.store).keys()]).toEqual([now.slice(1)]);
  expect((await at.get(oldPath, { redirect: "manual" })).headers.get("location")).toEndWith(now);
  expect((await at.get(now)).status).toBe(200);
});

test("the copy of a removed blog keeps its files in S3 until they are fetched", async () => {
  await using at = await startWithStore();
  const cat = await at.upload("cat.jpg");
  const files = at.inFolder();
  await at.move();
  const removed = await at.run("blog", "remove", "ada", "--yes");
  expect(removed.stdout).toContain("The media files stay at s3://shelf/blog.\n");
  const [, copy = ""] = /a copy is in (.*)/.exec(removed.stdout) ?? [];
  expect(filesInBucket(at.store)).toEqual(files);
  expect((await at.run("check")).stdout).toContain(
    `Warning: s3://shelf/blog${cat} belongs to a removed blog: removed/${basename(copy)} refers to it.`,
  );
  const runInCopy = (...words: string[]) => runPlaten([...words, "--data", copy], { env: at.store.env });
  expect((await runInCopy("check")).code).toBe(0);
  expect((await runInCopy("media", "move", "--to", "folder")).code).toBe(0);
  expect(existsSync(join(copy, cat))).toBe(true);
  expect(filesInBucket(at.store).size).toBe(0);
});

test("check distinguishes files to be deleted, files of a removal, and unknown files", async () => {
  await using at = await startWithStore();
  const [cat, owl] = [await at.upload("cat.jpg"), await at.upload("owl.jpg", await picture(900, 600))];
  await at.move();
  at.store.gate((line) => (line.startsWith("DELETE") ? "refuse" : "pass"));
  await at.delete(cat);
  const report = (await at.run("check")).stdout;
  expect(report).toContain(
    `Warning: s3://shelf/blog${cat} was deleted in Platen; the server or platen media move will delete it from the object store.`,
  );
  expect(report).not.toContain("belongs to no upload");
  at.store.gate(() => "pass");
  // The server waits a minute after an error.
  await at.move();
  expect(filesInBucket(at.store).size).toBe(1);
  await at.move("folder");
  await at.run("blog", "add", "--account", "ada@example.com", "--title", "Second");
  expect((await at.run("blog", "remove", "ada", "--yes")).code).toBe(0);
  expect((await at.run("check")).stdout).not.toContain(dirname(owl));
  // As if it was killed just before its end.
  using db = openWithoutPlaten(at.data);
  db.run("DELETE FROM deleted_media");
  mkdirSync(join(at.data, "media", "strange"));
  const left = (await at.run("check")).stdout;
  expect(left).toContain(
    `Warning: ${dirname(owl).slice(1)} belongs to a removed blog. The copy in removed/ has it too; the server deletes this one`,
  );
  expect(left).toContain("Warning: media/strange belongs to no upload.");
});

test("media cannot move to another bucket while files wait for deletion; the move deletes them first", async () => {
  await using at = await startWithStore();
  const [cat] = [await at.upload("cat.jpg"), await at.upload("owl.jpg", await picture(900, 600))];
  await at.move();
  at.store.gate((line) => (line.startsWith("DELETE") ? "refuse" : "pass"));
  await at.delete(cat);
  await at.server.stop();
  expect((await at.move("folder")).code).toBe(1);
  expect([at.inFolder().size, filesInBucket(at.store).size]).toEqual([1, 2]);
  const other = "s3://shelf/other";
  expect((await at.move(other)).stderr).toBe(
    "Media are at s3://shelf/blog. Move them back first with --to folder.\n",
  );
  at.store.gate(() => "pass");
  const stderr = expect.stringMatching(/^The server needs the same [^\n]+\n$/);
  expect(await at.move()).toEqual({ code: 0, stdout: expect.any(String), stderr });
  expect([...filesInBucket(at.store).keys()]).toEqual([expect.stringContaining("owl.jpg")]);
  expect([(await at.move("folder")).code, filesInBucket(at.store).size]).toEqual([0, 0]);
  expect((await at.move(other)).code).toBe(0);
});

test("a file moved after it was read for deletion is deleted in S3 too", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await made.jpeg(100, 50), "cat.jpg");
  const { folder, id } = blob;
  const atStore = [{ name: "cat.jpg", size: 1, sha256: "", modified: 0 }];
  platen.db.update(blobs).set({ atStore }).where(eq(blobs.id, id)).run();
  deleteBlobs(platen, () => [blob]);
  expect(queuedKeys(platen)).toEqual([`media/${folder}/cat.jpg`]);
});

test("a database older than the move finds its files in S3 after another move", async () => {
  await using at = await startWithStore();
  await at.upload("cat.jpg");
  await at.upload("film.webm", FILM, await picture(300, 200));
  await at.server.stop();
  const files = at.inFolder();
  const older = freshFolder();
  mkdirSync(older);
  const databaseIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("platen.db"));
  for (const name of databaseIn(at.data)) cpSync(join(at.data, name), join(older, name));
  await at.move();
  for (const name of databaseIn(at.data)) rmSync(join(at.data, name));
  for (const name of databaseIn(older)) cpSync(join(older, name), join(at.data, name));
  expect((await at.run("check")).code).toBe(1);
  at.store.takeRequests();
  expect(await at.move()).toMatchObject({ code: 0, stdout: expect.stringContaining("Moved 2 files") });
  expect(at.store.takeRequests().filter((line) => line.startsWith("PUT"))).toEqual([]);
  expect((await at.run("check")).code).toBe(0);
  expect((await at.move("folder")).code).toBe(0);
  expect(at.inFolder()).toEqual(files);
});

test.each(["is being", "was"])(
  "an upload sent while all %s fetched back stays in the folder only",
  async (when) => {
    await using at = await startWithStore();
    const cat = await at.upload("cat.jpg");
    await at.move();
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<"pass">()];
    const [fetched, fetch] = [Promise.withResolvers<void>(), Promise.withResolvers<"pass">()];
    at.store.gate((line) => {
      if (/^PUT .*late\.jpg/.test(line)) {
        reached.resolve();
        return goOn.promise;
      }
      if (!/^GET .*cat\.jpg/.test(line)) return "pass";
      fetched.resolve();
      return fetch.promise;
    });
    const late = await at.upload("late.jpg");
    await reached.promise;
    const back = at.move("folder");
    await fetched.promise;
    if (when === "is being") goOn.resolve("pass");
    else fetch.resolve("pass");
    if (when === "was") expect((await back).code).toBe(0);
    goOn.resolve("pass");
    await at.until(() => at.store.takeRequests().some((line) => /^(?:DELETE|GET) .*late\.jpg/.test(line)));
    fetch.resolve("pass");
    expect((await back).code).toBe(0);
    await at.until(() => filesInBucket(at.store).size === 0);
    expect([...at.inFolder().keys()].toSorted()).toEqual([cat, late].map((path) => path.slice(1)).toSorted());
    expect((await at.get(late)).status).toBe(200);
  },
);

test("a file deleted during its move is deleted everywhere, even on a nearly full disk", async () => {
  await using at = await startWithStore();
  const film = await at.upload("film.webm", FILM, await picture(300, 200));
  const [cat, owl] = [await at.upload("cat.jpg"), await at.upload("owl.jpg")];
  const waiting = (waits: RegExp) => {
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<"pass">()];
    at.store.gate((line) => {
      if (!waits.test(line)) return "pass";
      reached.resolve();
      return goOn.promise;
    });
    return { reached: reached.promise, goOn: () => goOn.resolve("pass") };
  };
  /** As if the server had already looked for files to delete. */
  const deleteFileAtOnce = async (path: string) => {
    await at.delete(path);
    using db = openWithoutPlaten(at.data);
    db.run("DELETE FROM deleted_media");
  };
  const countMediaFolders = () =>
    readdirSync(join(at.data, "media")).filter((name) => name !== ".incoming").length;

  const there = waiting(/^PUT .*(film|poster)|^POST .*film/);
  const sent = at.move();
  await there.reached;
  await deleteFileAtOnce(film);
  rmSync(join(at.data, dirname(film)), { recursive: true });
  there.goOn();
  expect(await sent).toMatchObject({ code: 0, stderr: expect.not.stringContaining("stayed") });
  await at.until(() => filesInBucket(at.store).size === 2);

  const back = waiting(/^GET .*(cat|owl)\.jpg/);
  const fetched = at.move("folder");
  await back.reached;
  await deleteFileAtOnce(cat);
  await at.until(() => filesInBucket(at.store).size === 1);
  await deleteFileAtOnce(owl);
  back.goOn();
  expect(await fetched).toMatchObject({ code: 0, stderr: "" });
  await at.until(() => filesInBucket(at.store).size === 0);
  expect(countMediaFolders()).toBe(0);
});
