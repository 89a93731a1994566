import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { S3Client } from "bun";
import { eq } from "drizzle-orm";
import { blobs } from "../../../src/database/schema";
import { deleteBlobs } from "../../../src/media/deleting-media";
import { queuedKeys } from "../../../src/media/store/media-store";
import { picture as made, upload } from "../../media/samples";
import { FILM, filesInBucket, startWithStore } from "../../media/store/with-store";
import { openWithoutPlaten } from "../../support/other-program";
import { picture } from "../../support/pictures";
import { startPlaten } from "../../support/platen";
import { freshFolder, runPlaten, startServer } from "../../support/program";

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

test("requests that fail at random are repeated, and readers notice nothing", async () => {
  await using at = await startWithStore();
  const paths = [await at.upload("cat.jpg"), await at.upload("film.webm", FILM), await at.upload("owl.jpg")];
  const files = at.inFolder();
  const times = new Map<string, number>();
  const chance = (line: string) => {
    times.set(line, (times.get(line) ?? 0) + 1);
    // Bun's client sends a file up to four times.
    return (times.get(line) as number) > (/^PUT .*jpg/.test(line) ? 5 : 2) ? "pass" : "refuse";
  };
  at.store.gate(chance);
  expect(await at.move()).toMatchObject({ code: 0, stdout: expect.stringContaining("Moved 3 files") });
  expect(filesInBucket(at.store)).toEqual(files);
  times.clear();
  for (const path of paths) expect((await at.get(path)).status).toBe(200);
  times.clear();
  expect(await at.move("folder")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Moved 3 files"),
  });
  expect(at.inFolder()).toEqual(files);
  expect(filesInBucket(at.store).size).toBe(0);
});

test("an interrupted transfer is continued, and the file arrives unchanged", async () => {
  await using at = await startWithStore();
  const [cat, film] = [await at.upload("cat.jpg"), await at.upload("film.webm", FILM)];
  const files = at.inFolder();
  const times = new Map<string, number>();
  at.store.gate((line) => {
    times.set(line, (times.get(line) ?? 0) + 1);
    return (times.get(line) as number) > 2 ? "pass" : "break";
  });
  expect(await at.move()).toMatchObject({ code: 0, stdout: expect.stringContaining("Moved 2 files") });
  expect(filesInBucket(at.store)).toEqual(files);
  times.clear();
  expect(await at.move("folder")).toMatchObject({ code: 0, stderr: "" });
  expect(at.inFolder()).toEqual(files);
  for (const path of [cat, film]) expect(times.get(`GET /shelf/blog${path}`)).toBe(3);
});

test.each(["there", "back"])(
  "a file whose transfer always fails %s is named and stays, and the others move",
  async (way) => {
    await using at = await startWithStore();
    const paths: string[] = [];
    for (let n = 0; n < 10; n++) paths.push(await at.upload(`${n}.png`, await picture(8 + n, 8, "png")));
    const [bad = ""] = paths;
    const [method, to] = way === "there" ? ["PUT", at.store.place] : ["GET", "folder"];
    if (way === "back") await at.move();
    at.store.gate((line) => (line === `${method} /shelf/blog${bad}` ? "break" : "pass"));
    const moved = await at.move(to);
    expect([moved.code, moved.stdout]).toEqual([1, expect.stringMatching(/^Moved 9 files /)]);
    const says = `s3://shelf/blog closes the connection whenever ${bad.slice(1)} is transferred.\n`;
    expect(moved.stderr).toEndWith(`${says}1 file could not be moved.\n`);
    const stayed = way === "there" ? at.inFolder() : filesInBucket(at.store);
    expect([...stayed.keys()]).toEqual([bad.slice(1)]);
    at.store.gate(() => "pass");
    expect((await at.move(to)).code).toBe(0);

    await at.move(way === "there" ? "folder" : at.store.place);
    at.store.gate((line) => (line.startsWith(method) && line.endsWith(".png") ? "break" : "pass"));
    expect(await at.move(to)).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^s3:\/\/shelf\/blog closes the connection whenever media\/\S+ is transferred\.\n$/,
      ),
    });
  },
);

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

test("a replaced video keeps its poster from S3, and is not replaced while S3 is down", async () => {
  await using at = await startWithStore();
  const film = await at.upload("film.webm", FILM, await picture(300, 200));
  const poster = await (await at.get(film.replace("film.webm", "poster.webp"))).bytes();
  await at.move();
  at.store.gate(() => "refuse");
  await expect(at.replace("film.webm", new Uint8Array(FILM.subarray(0, 1000)))).rejects.toThrow("503");
  expect((await at.get(film, { method: "HEAD" })).headers.get("content-length")).toBe(String(FILM.length));
  at.store.gate(() => "pass");
  const now = await at.replace("film.webm", new Uint8Array(FILM.subarray(0, 1000)));
  expect(await (await at.get(now.replace("film.webm", "poster.webp"))).bytes()).toEqual(poster);
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

test("a damaged or missing file is named and stays, and the others move", async () => {
  await using at = await startWithStore();
  const paths: string[] = [];
  for (const name of ["cat.jpg", "owl.jpg", "elk.jpg", "ant.jpg"]) paths.push(await at.upload(name));
  const [cat = "", owl = "", elk = "", ant = ""] = paths;
  const files = at.inFolder();
  const pathInFolder = (path: string) => join(at.data, path);
  const whole = readFileSync(pathInFolder(cat));
  writeFileSync(pathInFolder(cat), Buffer.from(whole).fill(1, 100, 200));
  const damagedHere = await at.move();
  expect([damagedHere.code, damagedHere.stdout]).toEqual([1, expect.stringContaining("Moved 3 files")]);
  expect(damagedHere.stderr).toEndWith(
    `${cat.slice(1)} is not what was stored.\n1 file could not be moved.\n`,
  );
  expect([...filesInBucket(at.store).keys()].toSorted()).toEqual(
    [owl, elk, ant].map((path) => path.slice(1)).toSorted(),
  );
  writeFileSync(pathInFolder(cat), whole);
  expect((await at.move()).code).toBe(0);
  // As after a move that was killed in between.
  writeFileSync(pathInFolder(cat), whole);
  expect([(await at.move()).code, at.inFolder().size]).toEqual([0, 0]);

  // A file in the folder counts only if it has the right content.
  writeFileSync(pathInFolder(owl), "another");
  const {
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  } = at.store.env;
  await new S3Client({ bucket: "shelf", endpoint, accessKeyId, secretAccessKey }).delete(`blog${elk}`);
  expect((await at.get(elk)).status).toBe(404);
  at.store.write(`blog${ant}`, Buffer.from(at.store.read(`blog${ant}`)).fill(1, 100, 200));
  const back = await at.move("folder");
  expect([back.code, back.stdout]).toEqual([1, expect.stringContaining("Moved 2 files")]);
  expect(back.stderr.split("\n").toSorted()).toEqual([
    "",
    "2 files could not be moved.",
    `s3://shelf/blog has no ${elk.slice(1)}.`,
    `s3://shelf/blog is damaged: ${ant.slice(1)} is not what was sent there.`,
  ]);
  // Their places are still known.
  expect((await at.run("doctor")).stdout).toContain("media: 2 at s3://shelf/blog, 2 in the folder");
  for (const path of [cat, owl].map((one) => one.slice(1)))
    expect(at.inFolder().get(path)).toBe(files.get(path) as string);
  expect((await at.run("check")).code).toBe(1);

  // A database older than the move does not confuse files.
  await at.move();
  at.store.write(`blog${cat}`, Buffer.from(whole).fill(1, 100, 200));
  using db = openWithoutPlaten(at.data);
  db.run("UPDATE blobs SET at_store = NULL WHERE filename = 'cat.jpg'");
  expect((await at.move()).stderr).toContain(`${cat.slice(1)} is missing.\n`);
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

test("a bucket that does not respond delays requests only briefly", async () => {
  await using at = await startWithStore();
  const cat = await at.upload("cat.jpg");
  await at.move();
  at.store.gate(() => "hang");
  expect((await at.get(cat)).status).toBe(503);
  at.store.gate(() => "pass");
  expect((await at.get(cat)).status).toBe(200);
});

test("the log says once why uploads wait, and again after they were sent", async () => {
  await using at = await startWithStore();
  await at.move();
  const [puts, says] = [/^PUT /, "Media cannot be moved to S3: s3://shelf/blog cannot be used: "];
  const refuse = () => at.store.gate((line) => (puts.test(line) ? "refuse" : "pass"));
  refuse();
  await at.upload("cat.jpg");
  await at.server.stop();
  const program = join(import.meta.dir, "stepped-store-loop.ts");
  const env = { ...process.env, ...at.store.env };
  const loop = Bun.spawn([process.execPath, program, at.data], { env, stdin: "pipe", stdout: "pipe" });
  const lines = linesOf(loop.stdout);
  /** Its output, and whether it sent a request to S3. */
  const after = async (milliseconds: number) => {
    at.store.takeRequests();
    loop.stdin.write(`${milliseconds}\n`);
    loop.stdin.flush();
    const { log, state }: Record<"log" | "state", string[]> = JSON.parse(await lines());
    const waits = state.some((line) => line.startsWith("media wait: "));
    return { log, waits, isAsked: at.store.takeRequests().some((line) => puts.test(line)) };
  };
  const expectedLog = [expect.stringContaining(says)];
  expect(await after(0)).toEqual({ log: expectedLog, waits: true, isAsked: true });
  expect(await after(59_999)).toEqual({ log: [], waits: true, isAsked: false });
  expect(await after(1)).toEqual({ log: [], waits: true, isAsked: true });
  at.store.gate(() => "pass");
  expect(await after(60_000)).toEqual({ log: [], waits: false, isAsked: true });
  expect(at.inFolder().size).toBe(0);
  refuse();
  await using again = await startServer({ data: at.data, env: at.store.env });
  await at.upload("owl.jpg", undefined, undefined, again);
  await again.stop();
  expect(await after(0)).toEqual({ log: expectedLog, waits: true, isAsked: true });
  loop.stdin.end();
  expect(await loop.exited).toBe(0);
});

/** @returns a function that returns the next line */
function linesOf(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const pieces = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return async () => {
    while (!text.includes("\n")) {
      const { value, done } = await pieces.read();
      if (done) throw new Error(`It ended after ${text}`);
      text += decoder.decode(value, { stream: true });
    }
    const [line = ""] = text.split("\n", 1);
    text = text.slice(line.length + 1);
    return line;
  };
}
