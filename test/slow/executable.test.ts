import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { copyFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import manifest from "../../package.json";
import { ENTRY_POINTS } from "../../src/owner/scripts/entry-points";
import { builtExecutable } from "../support/executable";
import { TOO_SLOW } from "../support/hostile-texts";
import { freshFolder, runPlaten } from "../support/program";
import { temporaryFolder } from "../support/temporary";
import { waitFor } from "../support/waiting";

/** A folder with only the executable: no checkout, no `node_modules`. */
let elsewhere: string;

beforeAll(async () => {
  elsewhere = temporaryFolder("executable");
  await copyFile(await builtExecutable(), join(elsewhere, "platen"));
});

describe("the executable in a folder without a checkout", () => {
  test("prints its version", async () => {
    expect(await platen("version")).toEqual({ exit: 0, out: `platen ${manifest.version}\n`, err: "" });
  });

  test("prints the licenses of everything it contains", async () => {
    const { exit, out } = await platen("version", "--licenses");
    expect(exit).toBe(0);
    for (const name of Object.keys(manifest.dependencies))
      expect(out).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(out).toMatch(/^@img\/sharp-libvips-\S+ \S+ \(LGPL-3\.0-or-later\)$/m);
    expect(out).toMatch(/^\| libheif +\| LGPLv3 +\|$/m);
    expect(out).toMatch(/^Bun \d/m);
    expect(out).toContain("GNU LESSER GENERAL PUBLIC LICENSE");
  });

  test("exits with 2 and one line of help for an unknown option", async () => {
    const { exit, out, err } = await platen("version", "--license");
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toMatch(/^[^\n]*Type: platen version \[--licenses\][^\n]*\n$/);
  });

  test("serves, and creates the thumbnail of a picture", async () => {
    const key = await setUp("pictures");
    await using server = await serving("pictures");
    const thumbnail = await thumbnailOfUpload(server.url, key);
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: "webp", width: 400, height: 200 });
  });

  test("contains all scripts of the admin", async () => {
    await setUp("scripts");
    await using server = await serving("scripts");
    for (const name of Object.keys(ENTRY_POINTS)) {
      // The current script is sent for any hash.
      const answer = await fetch(`${server.url}/assets/admin/${name}.000.js`);
      expect([name, answer.status]).toEqual([name, 200]);
      expect((await answer.text()).length).toBeGreaterThan(100);
    }
  });

  test("renders in a worker, also after a text that took too long", async () => {
    const key = await setUp("rendering");
    await using server = await serving("rendering");
    const save = (content: string) =>
      fetch(`${server.url}/api/v1/posts`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ post: { title: "x", content, content_type: "markdown" } }),
      });
    expect((await save(TOO_SLOW)).status).toBe(422);
    expect(await (await save("```js\nlet a\n```")).text()).toContain("hljs-keyword");
  });

  test("creates the same database as the migrations", async () => {
    await setUp("schema");
    const data = freshFolder();
    await runPlaten(["setup", "--email", "ann@example.com", "--title", "Ann", "--data", data]);
    expect(databaseContents(join(elsewhere, "schema"))).toEqual(databaseContents(data));
  });

  test("keeps sharp's libraries in the data folder, writable by the owner only", async () => {
    const key = await setUp("libraries");
    await using server = await serving("libraries");
    expect(await readdir(join(elsewhere, "libraries"))).not.toContain(".runtime");
    await thumbnailOfUpload(server.url, key);
    expect((await stat(join(elsewhere, "libraries/.runtime"))).mode & 0o777).toBe(0o700);
    expect(await librariesIn("libraries")).toHaveLength(2);
  });

  test("replaces a library that differs from its own", async () => {
    const key = await setUp("replaced");
    {
      await using server = await serving("replaced");
      await thumbnailOfUpload(server.url, key);
    }
    for (const library of await librariesIn("replaced")) await writeFile(library, "not the library");
    await using server = await serving("replaced");
    expect((await thumbnailOfUpload(server.url, key)).length).toBeGreaterThan(0);
  });

  test("ignores configuration files in the working directory", async () => {
    await writeFile(join(elsewhere, ".env"), "PLATEN_PORT=none\n");
    await writeFile(join(elsewhere, "bunfig.toml"), 'preload = ["./missing.ts"]\n');
    await using server = await serving("settings");
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  });
});

async function platen(...args: string[]) {
  const run = start(...args);
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  return { exit: await run.exited, out, err };
}

function start(...args: string[]) {
  return Bun.spawn([join(elsewhere, "platen"), ...args], {
    cwd: elsewhere,
    env: {},
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** @returns the API key of a new data folder */
async function setUp(data: string): Promise<string> {
  const { exit, out, err } = await platen(
    "setup",
    "--email",
    "ann@example.com",
    "--title",
    "Ann",
    "--data",
    data,
  );
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  return out.trim();
}

/** @returns contents of a new database, and its sequence counters */
function databaseContents(folder: string): unknown[] {
  const database = new Database(join(folder, "platen.db"), { readonly: true });
  const queryAll = (question: string) => database.query(question).all();
  try {
    return [
      queryAll("PRAGMA page_size"),
      // The first four bytes count reconfigurations of the index.
      queryAll("SELECT id, hex(substr(block, 5)) AS block FROM post_search_data ORDER BY id"),
      queryAll("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"),
      ...["__drizzle_migrations", "sqlite_sequence", "post_search_config"].map((table) =>
        queryAll(`SELECT * FROM ${table} ORDER BY 1`),
      ),
    ];
  } finally {
    database.close();
  }
}

/** Starts the server and waits for its address. It stops at the end of the test. */
async function serving(data: string) {
  const run = start("serve", "--port", "0", "--data", data);
  const stop = async () => {
    run.kill();
    await run.exited;
  };
  return { url: await addressSaidBy(run), [Symbol.asyncDispose]: stop };
}

async function addressSaidBy(run: ReturnType<typeof start>): Promise<string> {
  // Read without a loop, which would close the stream before the server ends.
  const reader = run.stdout.pipeThrough(new TextDecoderStream()).getReader();
  for (let output = ""; ; ) {
    const { done, value } = await waitFor(reader.read(), "the executable to say where it is", () => output);
    if (done) throw new Error(await new Response(run.stderr).text());
    output += value;
    const address = /http:\/\/[\w.:]+(?=\/\s)/.exec(output);
    if (address) return address[0];
  }
}

/** Uploads a picture, adds it to a post, and downloads its thumbnail. */
async function thumbnailOfUpload(url: string, key: string): Promise<Uint8Array> {
  const picture = await sharp({ create: { width: 800, height: 400, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set("attachment[file]", new File([new Uint8Array(picture)], "teal.png", { type: "image/png" }));
  const headers = { Authorization: `Bearer ${key}` };
  const uploaded = await fetch(`${url}/api/v1/attachments`, { method: "POST", headers, body: form });
  expect(uploaded.status).toBe(201);
  const { attachment } = (await uploaded.json()) as { attachment: { html: string } };
  const created = await fetch(`${url}/api/v1/posts`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ post: { title: "Teal", content: attachment.html, status: "published" } }),
  });
  expect(created.status).toBe(201);
  const { post } = (await created.json()) as { post: { attachments: { thumbnail: string }[] } };
  const thumbnail = await fetch(post.attachments[0]?.thumbnail ?? "");
  expect(thumbnail.status).toBe(200);
  return thumbnail.bytes();
}

async function librariesIn(data: string): Promise<string[]> {
  const runtime = join(elsewhere, data, ".runtime");
  const files = await readdir(runtime, { recursive: true });
  return files.filter((name) => /\.node$|libvips-cpp\./.test(name)).map((name) => join(runtime, name));
}
