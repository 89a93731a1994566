import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { post, write } from "../komments/forms";
import { firstBox } from "../media/samples";
import { filesInBucket, startWithStore } from "../media/store/with-store";
import { browserAt } from "../support/cookie-browser";
import { picture, uploadForm } from "../support/pictures";
import { startPlaten } from "../support/platen";
import { freshFolder, runPlaten, setUpBlog, startServer } from "../support/program";
import { canMount, smallDisk, unmount } from "../support/small-disks";
import { until } from "../support/waiting";
import { createFolder } from "../transfer/start-transfer";
import { zipped } from "../transfer/zipped";

function fill(disk: string): void {
  try {
    writeFileSync(join(disk, "fill"), Buffer.alloc(64 * 1_048_576));
  } catch {
    // The part that fits.
  }
}

function makeRoom(disk: string): void {
  Bun.spawnSync(["mount", "-o", "remount,size=256m", disk]);
}

test.skipIf(!canMount())(
  "on a full disk the server serves pages, rejects writes with a reason, and stops with 0",
  async () => {
    const disk = smallDisk();
    const { data, key } = await setUpBlog({ data: join(disk, "data") });
    const create = (url: string, title: string) =>
      fetch(`${url}/api/v1/posts`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ post: { title, status: "published", content: "x".repeat(100_000) } }),
      });
    {
      await using server = await startServer({ data });
      expect((await create(server.url, "One")).status).toBe(201);
      writeFileSync(join(data, ".reserve"), Buffer.alloc(8 * 1_048_576));
      fill(disk);
      expect((await create(server.url, "Two")).status).toBe(507);
      expect((await fetch(`${server.url}/one`)).status).toBe(200);
      expect((await runPlaten(["doctor", "--data", data])).stdout).toMatch(
        /✗ disk: [\d.]+ (bytes|kB|MB) of 32 MB are free .*\n {2}→ Free some space/,
      );
      expect(await server.stop()).toBe(0);
    }
    // Deletes the WAL index, as after a restart of the machine: WAL recovery needs space.
    rmSync(join(data, "platen.db-shm"), { force: true });
    fill(disk);
    await using again = await startServer({ data });
    await again.untilStderr(/\n/);
    expect(again.stderr()).toContain("Platen has freed its reserve of 8 MB");
    expect((await fetch(`${again.url}/one`)).status).toBe(200);
    expect((await fetch(`${again.url}/two`)).status).toBe(404);
  },
);

test.skipIf(!canMount())("doctor reports a disk that is nearly full", async () => {
  const { data } = await setUpBlog({ data: join(smallDisk(500), "data") });
  expect(await runPlaten(["doctor", "--data", data])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/• disk: \d+ MB of 500 MB are free .*\n {2}→ Free some space/),
  });
});

test.skipIf(!canMount())(
  "the disk reserve is used for signing in and deleting, not for writes and uploads",
  async () => {
    const disk = smallDisk();
    const { data, key } = await setUpBlog({ data: join(disk, "data"), password: "a long enough one" });
    await using server = await startServer({ data });
    const ask = (method: string, path: string, body?: BodyInit) =>
      fetch(server.url + path, { method, headers: { authorization: `Bearer ${key}` }, body });
    const create = (title: string) => {
      return ask("POST", "/api/v1/posts", JSON.stringify({ post: { title, status: "published" } }));
    };
    expect((await create("One")).status).toBe(201);
    // The remaining space is the released reserve.
    fill(disk);
    truncateSync(join(disk, "fill"), statSync(join(disk, "fill")).size - 8 * 1_048_576);
    const browser = browserAt(server.url, (path, init) =>
      fetch(server.url + path, { redirect: "manual", ...init }),
    );
    const refused = [
      create("Two"),
      ask("PATCH", "/api/v1/posts/1", JSON.stringify({ post: { content: "More." } })),
      ask("POST", "/api/v1/attachments", uploadForm(await picture(20, 20, "png"), "a.png")),
      ask("POST", "/micropub", new URLSearchParams({ h: "entry", content: "More." })),
    ];
    for (const answer of await Promise.all(refused)) {
      expect([answer.url, answer.status]).toEqual([answer.url, 507]);
      expect(await answer.text()).toContain("disk is full");
    }
    const form = { email: "ada@example.com", password: "a long enough one" };
    expect((await browser.post("/auth/sign-in", form)).headers.get("location")).toBe("/admin");
    expect((await ask("DELETE", "/api/v1/posts/1")).status).toBe(204);
    rmSync(join(disk, "fill"));
    expect((await create("Three")).status).toBe(201);
  },
);

test.skipIf(!canMount())("the disk reserve is not used for komments and messages", async () => {
  const disk = smallDisk();
  const at = startPlaten({ data: disk });
  await post(at, { meta: { show_contact_form: true } });
  fill(disk);
  truncateSync(join(disk, "fill"), statSync(join(disk, "fill")).size - 8 * 1_048_576);
  for (const form of [undefined, "/komments/tea/contact"]) {
    const refused = await write(at, { text: "More and more." }, form);
    expect([refused.status, await refused.text()]).toEqual([507, expect.stringContaining("disk is full")]);
  }
  rmSync(join(disk, "fill"));
  expect((await write(at, { text: "More and more." })).status).toBe(303);
});

test.skipIf(!canMount())("a backup or export to a full disk names that disk and leaves no file", async () => {
  const { data } = await setUpBlog();
  const disk = smallDisk();
  fill(disk);
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runPlaten([...words, "--data", data]);
    return [code, stdout, stderr];
  };
  const full = (folder: string, what: string) => [
    1,
    "",
    `The disk of ${folder} is full${what}, then try again.\n`,
  ];
  const backups = join(disk, "backups");
  expect(await run("backup", backups)).toEqual(full(backups, ": no backup was made. Free some space there"));
  for (const place of ["garden.zip", "garden"])
    for (const format of ["markdown", "platen", "static"]) {
      const result = await run("export", format, join(disk, place), "--blog", "ada");
      expect([format, result]).toEqual([format, full(disk, ". Nothing was exported. Free some space")]);
    }
  expect(readdirSync(disk).sort()).toEqual(["backups", "fill"]);
  expect(readdirSync(backups)).toEqual([]);
});

test.skipIf(!canMount())(
  "a read-only disk can be backed up, and other commands are rejected in one line",
  async () => {
    const disk = smallDisk();
    const data = join(disk, "data");
    await setUpBlog({ data });
    Bun.spawnSync(["mount", "-o", "remount,ro", disk]);
    const backups = freshFolder();
    const made = await runPlaten(["backup", backups, "--data", data]);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining("contains 0 media files") });
    const [name = ""] = readdirSync(backups).filter((one) => one.startsWith("2"));
    expect((await runPlaten(["check", "--data", join(backups, name)])).code).toBe(0);
    for (const command of [
      ["serve", "--port", "0"],
      ["blog", "list"],
    ]) {
      const { code, stderr } = await runPlaten([...command, "--data", data]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^\S+ cannot be used: the disk is read-only\.\n$/),
      });
    }
  },
);

test.skipIf(!canMount())(
  "a blog is not removed if there is no room for its copy, and no partial copy stays",
  async () => {
    const disk = smallDisk();
    const data = join(disk, "data");
    const platen = (...typed: string[]) => runPlaten([...typed, "--data", data]);
    const setup = await platen("setup", "--email", "ada@example.com", "--title", "Ada");
    {
      await using server = await startServer({ data });
      for (const title of ["One", "Two", "Three"])
        await fetch(`${server.url}/api/v1/posts`, {
          method: "POST",
          headers: { authorization: `Bearer ${setup.stdout.trim()}` },
          body: JSON.stringify({ post: { title, status: "published", content: "x".repeat(250_000) } }),
        });
      expect(await server.stop()).toBe(0);
    }
    fill(disk);
    truncateSync(join(disk, "fill"), statSync(join(disk, "fill")).size - 1_200_000);
    expect(await platen("blog", "remove", "ada", "--yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: "The server's disk is full, so nothing was saved. Free some space, then try again.\n",
    });
    expect(readdirSync(join(data, "removed"))).toEqual([]);
    rmSync(join(disk, "fill"));
    expect((await platen("check")).stdout).toStartWith("Everything is in order: 3 posts");
    expect((await platen("blog", "list")).stdout).toContain("ada");
    expect((await platen("blog", "remove", "ada", "--yes")).stdout).toStartWith("Removed; ");
  },
);

/** A text of many words in paragraphs; a single long one needs ten times the CPU time. */
const textOf = (words: string[]) =>
  words.map((word, at) => (at % 100 === 99 ? `${word}\n\n` : `${word} `)).join("");
/** More posts with a video each than a small disk can hold. */
const HOW_MANY = 24;
const postsWithVideos = () =>
  Array.from({ length: HOW_MANY }, (_, number) => [
    {
      path: `posts/${number}.md`,
      content: `---\ntitle: Post ${number}\ndate: 2020-01-01\n---\n\n![Film](${number}.mp4)\n\n${textOf(Array(2000).fill(`word${number}`))}end`,
    },
    {
      path: `posts/${number}.mp4`,
      content: Buffer.concat([firstBox("isom", ["mp42"]), Buffer.alloc(1_000_000, number)]),
    },
  ]).flat();
const DISK_FULL =
  "The disk is full: the import is incomplete. Free some space, then run the same import again to continue.";

test.skipIf(!canMount())(
  "an import on a full disk stops with a message, and can be continued without duplicates",
  async () => {
    const disk = smallDisk();
    const data = join(disk, "data");
    const platen = (...typed: string[]) => runPlaten([...typed, "--data", data]);
    await platen("setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada");
    const files = postsWithVideos().map(({ path, content }) => [path, content]);
    const words = [
      "import",
      "markdown",
      await createFolder(null, Object.fromEntries(files)),
      "--blog",
      "ada",
    ];
    expect(await platen(...words)).toEqual({ code: 1, stdout: "", stderr: `${DISK_FULL}\n` });
    const { code, stdout } = await platen("check");
    const [, brought = 0] = /^Everything is in order: (\d+) posts/m.exec(stdout) ?? [];
    expect(code).toBe(0);
    expect(Number(brought)).toBeWithin(1, HOW_MANY);
    expect(countCompletePosts(data)).toBe(Number(brought));
    expect(readdirSync(join(data, "media/.incoming"))).toEqual([]);
    expect((await platen(...words)).stderr).toBe(`${DISK_FULL}\n`);

    makeRoom(disk);
    const rest = await platen(...words);
    expect(rest.stdout).toStartWith(`Imported ${HOW_MANY - Number(brought)} posts, 0 pages, 0 komments`);
    expect(rest.stdout).toContain("This is import 1;");
    expect((await platen("check")).stdout).toEndWith(
      `Everything is in order: ${HOW_MANY} posts, ${HOW_MANY} files.\n`,
    );
    expect(countCompletePosts(data)).toBe(HOW_MANY);
  },
);

test.skipIf(!canMount())("a post is not imported without its video if there is no room for it", async () => {
  const disk = smallDisk();
  const platen = (...typed: string[]) => runPlaten([...typed, "--data", join(disk, "data")]);
  await platen(...SET_UP);
  const film = Buffer.concat([firstBox("isom", ["mp42"]), Buffer.alloc(40_000_000, 1)]);
  const files = { "tea.md": "---\ntitle: Tea\n---\n![Film](film.mp4)", "film.mp4": film };
  const words = ["import", "markdown", await createFolder(null, files), "--blog", "ada"];
  expect(await platen(...words)).toEqual({ code: 1, stdout: "", stderr: `${DISK_FULL}\n` });
  makeRoom(disk);
  const { stdout } = await platen(...words);
  expect(stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 1 file.");
});

afterEach(unmount);

/** Number of posts whose text is complete. */
function countCompletePosts(data: string): number {
  using db = new Database(join(data, "platen.db"), { readonly: true });
  const rows = db
    .query<{ source: string }, []>("SELECT coalesce(source, html) AS source FROM contents")
    .all();
  return rows.filter(({ source }) => source.endsWith("end")).length;
}

test.skipIf(!canMount())("an import in the admin on a full disk links to its continuation", async () => {
  const disk = smallDisk();
  const data = join(disk, "data");
  const platen = (...typed: string[]) => runPlaten([...typed, "--data", data]);
  await platen("setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada");
  const password = ["account", "password", "--email", "ada@example.com", "--password-stdin"];
  await runPlaten([...password, "--data", data], { stdin: "a long enough one" });
  await using server = await startServer({ data });
  const browser = browserAt(server.url, (path, init) =>
    fetch(server.url + path, { redirect: "manual", ...init }),
  );
  await browser.post("/auth/sign-in", { email: "ada@example.com", password: "a long enough one" });
  const transfer = "/admin/blogs/ada/transfer";
  const read = async (path: string) => (await browser.get(path)).text();
  const tokenIn = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const send = async (fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ token: tokenIn(await read(transfer)), ...fields }))
      body.append(name, value);
    const sent = await browser.send(transfer, { method: "POST", body, headers: { origin: server.url } });
    return sent.headers.get("location") ?? "";
  };
  /** @returns the job's page after the job has ended */
  const untilEnded = (job: string) => {
    const page = async () => {
      const text = await read(job);
      return !/value="Cancel"|>Cancel</.test(text) && text;
    };
    return until(page, `the end of ${job}`, () => read(job));
  };
  const importFile = async (page: string) => {
    const [, onward = ""] = new RegExp(`href="(${transfer}\\?[^"]+)"`).exec(page) ?? [];
    const confirmation = await read(onward.replaceAll("&amp;", "&"));
    const hidden = [...confirmation.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    return await send({
      ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
      do: "bring",
    });
  };
  const file = new File([zipped(postsWithVideos()) as BlobPart], "site.zip");
  const looked = await untilEnded(await send({ format: "markdown", no_fetch: "yes", do: "look", file }));
  expect(looked).toContain(`To import: ${HOW_MANY} posts`);
  const failed = await untilEnded(await importFile(looked));
  expect(failed).toContain(DISK_FULL.replaceAll("'", "&#39;"));
  const before = countCompletePosts(data);
  expect(before).toBeWithin(1, HOW_MANY);

  makeRoom(disk);
  expect(await untilEnded(await importFile(failed))).toContain(`Imported ${HOW_MANY - before} posts`);
  expect(countCompletePosts(data)).toBe(HOW_MANY);
  expect(readdirSync(join(data, "imports", "1"))).toEqual([]);
});

/** The same amount of text, without videos. */
const longTexts = () =>
  Array.from({ length: HOW_MANY }, (_, post) => {
    const words = Array.from({ length: 8000 }, (_, word) => Bun.hash(`${post} ${word}`).toString(36));
    return {
      path: `posts/${post}.md`,
      content: `---\ntitle: Post ${post}\ndate: 2020-01-01\n---\n\n${textOf(words)}end`,
    };
  });

/** A folder with a blog of these posts. */
async function folderOf(files: { path: string; content: string | Uint8Array }[]): Promise<string> {
  const data = freshFolder();
  await runPlaten([...SET_UP, "--data", data]);
  const folder = await createFolder(
    null,
    Object.fromEntries(files.map(({ path, content }) => [path, content])),
  );
  const brought = await runPlaten(["import", "markdown", folder, "--blog", "ada", "--data", data]);
  expect(brought.code).toBe(0);
  return data;
}

const SET_UP = ["setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada"];

test.skipIf(!canMount()).each(["films", "texts"])(
  "an archive whose %s fill the disk stops with the same message, and can be continued",
  async (what) => {
    const [files, megabytes, films] =
      what === "films" ? [postsWithVideos(), 24, HOW_MANY] : [longTexts(), 18, 0];
    const archive = `${freshFolder()}.zip`;
    await runPlaten(["export", "platen", archive, "--blog", "ada", "--data", await folderOf(files)]);
    const disk = smallDisk(megabytes);
    const data = join(disk, "data");
    const platen = (...typed: string[]) => runPlaten([...typed, "--data", data]);
    await platen(...SET_UP);
    const words = ["import", "platen", archive, "--blog", "ada"];
    const full = { code: 1, stdout: "", stderr: `${DISK_FULL}\n` };
    expect(await platen(...words)).toEqual(full);
    const inOrder = /^Everything is in order: (\d+) posts?, (\d+) files?\.$/m;
    const [, posts, brought] = (inOrder.exec((await platen("check")).stdout) ?? []).map(Number);
    expect(what === "films" ? brought : posts).toBeWithin(1, HOW_MANY);
    expect(countCompletePosts(data)).toBe(posts as number);
    if (films > 0) expect(readdirSync(join(data, "media/.incoming"))).toEqual([]);
    expect(await platen(...words)).toEqual(full);

    makeRoom(disk);
    expect((await platen(...words)).stdout).toStartWith(
      `Imported ${HOW_MANY - (posts as number)} posts, 0 pages, 0 komments, ${films - (brought as number)} files`,
    );
    const all = `Everything is in order: ${HOW_MANY} posts, ${films} files.\n`;
    expect((await platen("check")).stdout).toEndWith(all);
    expect(countCompletePosts(data)).toBe(HOW_MANY);
  },
);

test.skipIf(!canMount())(
  "restoring a backup without enough room leaves nothing, and works once there is room",
  async () => {
    const [from, backups] = [await folderOf(postsWithVideos()), freshFolder()];
    await runPlaten(["backup", backups, "--data", from]);
    const disk = smallDisk(16);
    const data = join(disk, "data");
    expect(await runPlaten(["restore", backups, "--data", data])).toEqual({
      code: 1,
      stdout: "",
      stderr: `The disk of ${data} is full: nothing was restored. Free some space there, then try again.\n`,
    });
    expect(readdirSync(disk)).toEqual([]);
    makeRoom(disk);
    expect((await runPlaten(["restore", backups, "--data", data])).code).toBe(0);
    expect((await runPlaten(["check", "--data", data])).code).toBe(0);
  },
);

test.skipIf(!canMount())(
  "media are fetched from a bucket as far as there is room, and no file is lost",
  async () => {
    const disk = smallDisk(48);
    await using at = await startWithStore({}, join(disk, "data"));
    const film = (number: number) =>
      new Uint8Array(Buffer.concat([firstBox("isom", ["mp42"]), Buffer.alloc(1_000_000, number)]));
    const paths: string[] = [];
    for (let number = 0; number < 12; number++) paths.push(await at.upload(`${number}.mp4`, film(number)));
    const files = at.inFolder();
    const expectAllFiles = () => {
      for (const [path, hash] of files)
        expect([at.inFolder().get(path), filesInBucket(at.store).get(path)]).toContain(hash);
    };
    await at.server.stop();
    // A move to S3 frees the disk.
    fill(disk);
    truncateSync(join(disk, "fill"), statSync(join(disk, "fill")).size - 4 * 1_048_576);
    expect(await at.move()).toMatchObject({ code: 0, stdout: expect.stringContaining("Moved 12 files") });
    expect(filesInBucket(at.store)).toEqual(files);

    fill(disk);
    truncateSync(join(disk, "fill"), statSync(join(disk, "fill")).size - 12 * 1_048_576);
    expect(await at.move("folder")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Moving media back needs 12 MB, but only \d MB are free\.\n$/),
    });
    rmSync(join(disk, "fill"));
    let sent = 0;
    at.store.gate((line) => {
      if (line.startsWith("GET") && ++sent === 6) fill(disk);
      return "pass";
    });
    expect(await at.move("folder")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "The disk is full: some files are in the data folder, the others are still at s3://shelf/blog. Free some space, then run the same command again.\n",
    });
    expectAllFiles();
    at.store.gate(() => "pass");
    rmSync(join(disk, "fill"));
    expect((await at.move("folder")).code).toBe(0);
    expect(at.inFolder()).toEqual(files);
    expect(filesInBucket(at.store).size).toBe(0);
    expect((await at.run("check")).code).toBe(0);
  },
);
