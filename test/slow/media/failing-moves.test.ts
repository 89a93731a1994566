import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { S3Client } from "bun";
import { FILM, filesInBucket, startWithStore } from "../../media/store/with-store";
import { openWithoutPlaten } from "../../support/other-program";
import { picture } from "../../support/pictures";

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
