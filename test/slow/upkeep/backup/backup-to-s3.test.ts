import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { objectStore } from "../../../support/object-store";
import { picture, uploadForm } from "../../../support/pictures";
import { startPlaten, type TestPlaten } from "../../../support/platen";
import { freshFolder, runPlaten } from "../../../support/program";

/** The smallest header that is detected as WebM. */
const VIDEO_HEAD = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex");
/** Large enough for a multipart upload. */
const LARGE = Buffer.concat([VIDEO_HEAD, Buffer.alloc(12_000_000, 7)]);

async function upload(
  { fetch, key }: TestPlaten,
  name: string,
  bytes?: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const answer = await fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: uploadForm(bytes ?? (await picture(60 + name.length, 40, "png")), name),
  });
  const { attachment } = await answer.json();
  return new URL(attachment.url).pathname.slice(1);
}

function startWithStore() {
  const at = startPlaten();
  const store = objectStore();
  const { data } = at.platen.config;
  const run = (...words: string[]) => runPlaten(words, { env: store.env });
  return {
    ...at,
    store,
    data,
    backUp: (...more: string[]) => run("backup", store.place, ...more, "--data", data),
    restore: (source: string, to: string) => run("restore", source, "--data", to),
    /** Requests since the last call. */
    sent: () => store.takeRequests().filter((line) => line.startsWith("PUT")),
    names: () =>
      [...store.objects.keys()]
        .filter((key) => key.endsWith("/backup.json"))
        .map(dirname)
        .map((path) => basename(path))
        .sort(),
  };
}

test("a backup in a bucket sends each file once, uploads its list of files last, and can be restored", async () => {
  const at = startWithStore();
  await at.api("POST", "/posts", { post: { title: "Hello", status: "published" } });
  const files = [await upload(at, "one.png"), await upload(at, "large.webm", LARGE)];
  const first = await at.backUp();
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toMatch(
    /^s3:\/\/shelf\/blog\/\d{4}-\d\d-\d\d-\d{6} contains 2 media files, 2 of them new\.\n$/,
  );
  const sent = at.sent();
  expect(sent.at(-1)).toMatch(/^PUT blog\/[\d-]{17}\/backup\.json$/);
  expect(sent.filter((line) => line.includes("/media/")).length).toBeGreaterThan(2);

  const late = await upload(at, "late.png");
  expect((await at.backUp()).stdout).toEndWith(" contains 3 media files, 1 of them new.\n");
  expect(at.sent().map((line) => line.replace(/[\da-f-]{17,}/, "…"))).toEqual([
    "PUT blog/media/…",
    "PUT blog/…/platen.db",
    "PUT blog/…/backup.json",
  ]);
  const [older, newest] = [freshFolder(), freshFolder()];
  expect(await at.restore(`${at.store.place}/${at.names()[0]}`, older)).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(await at.restore(at.store.place, newest)).toMatchObject({ code: 0, stderr: "" });
  for (const [folder, paths] of [
    [older, files],
    [newest, [...files, late]],
  ] as const) {
    expect(await runPlaten(["check", "--data", folder])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Everything is in order: 1 post, ${paths.length} files.\n`),
    });
    for (const path of paths)
      expect(await Bun.file(join(folder, path)).bytes()).toEqual(await Bun.file(join(at.data, path)).bytes());
  }
  expect(readdirSync(at.data).filter((name) => name.includes("backup.db"))).toEqual([]);
});

test("an interrupted backup does not count; the next one completes it and cleans up", async () => {
  const at = startWithStore();
  for (const name of ["one.png", "two.png", "three.png"]) await upload(at, name);
  at.store.refuse((line) => line.endsWith("/backup.json"));
  expect(await at.backUp()).toEqual({
    code: 1,
    stdout: "",
    stderr: "s3://shelf/blog cannot be used: QuotaExceeded.\n",
  });
  const left = [...at.store.objects.keys()];
  expect(left.filter((key) => key.endsWith("platen.db"))).toHaveLength(1);
  expect(await at.restore(at.store.place, freshFolder())).toMatchObject({
    code: 1,
    stderr: "There is no backup in s3://shelf/blog.\n",
  });
  at.store.refuse(() => false);
  at.store.objects.set("blog/2020-01-01-120000/platen.db", Buffer.from("left"));
  at.sent();
  expect(await at.backUp()).toMatchObject({ code: 0, stderr: "" });
  expect(at.sent().filter((line) => line.includes("/media/"))).toEqual([]);
  const databases = [...at.store.objects.keys()].filter((key) => key.endsWith("platen.db"));
  expect(databases).toEqual([`blog/${at.names()[0]}/platen.db`]);
});

test("--keep deletes older backups with their unshared files, and nothing else in the bucket", async () => {
  const at = startWithStore();
  const gone = await upload(at, "removed.png");
  const kept = await upload(at, "kept.png");
  at.store.objects.set("blog/notes.txt", Buffer.from("mine"));
  at.store.objects.set("other/2020-01-01-120000/platen.db", Buffer.from("another's"));
  await at.backUp();
  await at.platen.db.$client.run("DELETE FROM blobs WHERE filename = 'removed.png'");
  await at.backUp("--keep", "1d");
  expect(at.names()).toHaveLength(1);
  const hash = async (path: string) => Bun.SHA256.hash(await Bun.file(join(at.data, path)).bytes(), "hex");
  expect([...at.store.objects.keys()].sort()).toEqual(
    [
      `blog/${at.names()[0]}/backup.json`,
      `blog/${at.names()[0]}/platen.db`,
      `blog/media/${await hash(kept)}`,
      "blog/notes.txt",
      "other/2020-01-01-120000/platen.db",
    ].sort(),
  );
  expect(at.store.objects.has(`blog/media/${await hash(gone)}`)).toBe(false);
});

test("a damaged backup is rejected by name; a wrong key, another bucket and no server are too", async () => {
  const at = startWithStore();
  const path = await upload(at, "one.png");
  await at.backUp();
  const address = `${at.store.place}/${at.names()[0]}`;
  const [media = ""] = [...at.store.objects.keys()].filter((key) => key.startsWith("blog/media/"));
  const whole = at.store.objects.get(media) as Uint8Array;
  const to = freshFolder();
  const expectRejection = (stderr: string) => ({ code: 1, stdout: "", stderr });
  at.store.objects.set(media, Buffer.from(whole).fill(7, 30, 60));
  expect(await at.restore(address, to)).toEqual(
    expectRejection(`${address} is damaged: ${path} differs from the file that was backed up.\n`),
  );
  at.store.objects.delete(media);
  expect(await at.restore(address, to)).toEqual(
    expectRejection(`${address} is damaged: ${path} is missing.\n`),
  );
  expect(existsSync(to)).toBe(false);

  const restoreFrom = (place: string, env: Record<string, string>) =>
    runPlaten(["backup", place, "--data", at.data], { env: { ...at.store.env, ...env } });
  expect(await restoreFrom(at.store.place, { AWS_ACCESS_KEY_ID: "another" })).toEqual(
    expectRejection("s3://shelf/blog cannot be used: AccessDenied.\n"),
  );
  expect(await restoreFrom("s3://elsewhere", {})).toEqual(
    expectRejection("s3://elsewhere cannot be used: NoSuchBucket.\n"),
  );
  expect(await restoreFrom(at.store.place, { S3_ENDPOINT: "http://127.0.0.1:1" })).toEqual(
    expectRejection("s3://shelf/blog cannot be used: ConnectionRefused.\n"),
  );
  expect(await runPlaten(["backup", at.store.place, "--data", at.data])).toEqual(
    expectRejection(
      "s3://shelf/blog cannot be used: AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set.\n",
    ),
  );
});
