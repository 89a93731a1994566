import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { FILM, filesIn, filesInBucket, startWithStore } from "../../media/store/with-store";
import { picture } from "../../support/pictures";
import { freshFolder, runPlaten, startServer } from "../../support/program";
import { until } from "../../support/waiting";

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

test("a killed move loses nothing and resumes, in either direction", async () => {
  await using at = await startWithStore();
  const paths: string[] = [];
  for (const name of ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"])
    paths.push(await at.upload(name));
  await at.server.stop();
  const files = at.inFolder();
  const expectAllFiles = () => {
    for (const [path, hash] of files) {
      const somewhere = [at.inFolder().get(path), filesInBucket(at.store).get(path)];
      expect(somewhere).toContain(hash);
    }
  };
  // Several transfers run at once, so this file has not been sent before.
  for (const unsent of [/PUT .*[def]\.jpg/, /PUT .*[ef]\.jpg/, /GET .*f\.jpg/]) {
    await at.killMoveAt(at.store.place, unsent);
    expectAllFiles();
  }
  const sent = [...filesInBucket(at.store)].filter(([path, hash]) => files.get(path) === hash);
  expect(sent.map(([path]) => path).filter((path) => path.endsWith("f.jpg"))).toHaveLength(1);
  at.store.takeRequests();
  expect(await at.move()).toMatchObject({ code: 0 });
  const again = at.store.takeRequests().filter((line) => line.startsWith("PUT"));
  // Only files in transfer at the kill are sent again.
  const repeated = again.filter((line) => sent.some(([path]) => line.endsWith(path)));
  expect(repeated.filter((line) => !/\/[ef]\.jpg$/.test(line))).toEqual([]);
  expect(filesInBucket(at.store)).toEqual(files);
  expect(at.inFolder().size).toBe(0);

  await at.killMoveAt("folder", /GET .*d\.jpg/);
  expectAllFiles();
  await at.killMoveAt("folder", /DELETE /);
  expectAllFiles();
  expect(await at.move("folder")).toMatchObject({ code: 0 });
  expect(at.inFolder()).toEqual(files);
  expect(filesInBucket(at.store).size).toBe(0);
  expect((await at.run("check")).stdout).toStartWith("Everything is in order");
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

test("while S3 is down, pages are served and uploads accepted; files in S3 return 503", async () => {
  await using at = await startWithStore();
  const cat = await at.upload("cat.jpg");
  await at.move();
  at.store.stop();
  expect((await at.get("/")).status).toBe(200);
  const answer = await at.get(cat);
  expect([answer.status, await answer.text(), answer.headers.get("cache-control")]).toEqual([
    503,
    "This file is on storage that cannot be reached right now. Try again later.\n",
    "no-store",
  ]);
  expect(answer.headers.get("retry-after")).toBe("30");
  for (let again = 0; again < 3; again++) expect((await at.get(cat)).status).toBe(503);
  expect(
    at.server.stderr().split("A file in the object store could not be sent: s3://shelf/blog cannot"),
  ).toHaveLength(2);
  expect((await at.get(cat, { method: "HEAD" })).status).toBe(200);
  const late = await at.upload("late.jpg");
  expect((await at.get(late)).status).toBe(200);
  expect([...at.inFolder().keys()]).toEqual([late.slice(1)]);
  expect(await (await at.get("/readyz?full")).text()).toContain(
    "media: 1 at s3://shelf/blog, 1 in the folder",
  );
  expect(await at.run("check")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      "s3://shelf/blog cannot be used: ConnectionRefused; its files (1) were not checked.\n",
    ),
  });
  expect((await at.run("doctor")).stdout).toContain(
    "✗ media: s3://shelf/blog cannot be used: ConnectionRefused.",
  );
  expect(await at.move("folder")).toEqual({
    code: 1,
    stdout: "",
    stderr: "s3://shelf/blog cannot be used: ConnectionRefused.\n",
  });
});

test("the log and metrics say why uploads wait in the folder", async () => {
  await using at = await startWithStore();
  await at.move();
  at.store.gate((line) => (line.startsWith("PUT") ? "refuse" : "pass"));
  await at.upload("cat.jpg");
  await at.server.untilStderr(/Media cannot be moved to S3: s3:\/\/shelf\/blog cannot be used: \w+\.\n/);
  const readiness = await (await at.get("/readyz?full")).text();
  expect(readiness).toContain("media: 0 at s3://shelf/blog, 1 in the folder");
  expect(readiness).toMatch(/media wait: s3:\/\/shelf\/blog cannot be used: \w+\./);
});

test("a rendition gets Retry-After while S3 fails, is served later, and is logged once", async () => {
  await using at = await startWithStore();
  const cat = await at.upload("cat.jpg", await picture(600, 400));
  await at.move();
  const folder = cat.split("/").slice(0, 3).join("/");
  rmSync(join(at.data, folder), { recursive: true });
  at.store.gate(() => "refuse");
  const ask = () => at.get(`${folder}/sizes/480.webp`);
  const refused = await ask();
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  // A second attempt fails too.
  at.store.takeRequests();
  const isRequestedAgain = async () => {
    expect((await ask()).status).toBe(503);
    return at.store.takeRequests().length > 0;
  };
  await until(isRequestedAgain, "another request to the store");
  at.store.gate(() => "pass");
  const size = async () => {
    const answer = await ask();
    return answer.status !== 503 && answer;
  };
  const answer = await until(size, "the size", at.server.stderr);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(at.server.stderr().split(`Renditions of ${folder.slice(1)} could not be made`)).toHaveLength(2);
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
