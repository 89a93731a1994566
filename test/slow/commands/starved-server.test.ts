import { afterEach, expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { picture, uploadForm } from "../../support/pictures";
import { startPlaten } from "../../support/platen";
import { freshFolder, runPlaten, startServer } from "../../support/program";
import { canMount, fragileDisk, unmount } from "../../support/small-disks";
import { until } from "../../support/waiting";

afterEach(unmount);

const SET_UP = ["setup", "--email", "ada@example.com", "--title", "Ada"];

/** A server with one post, and a function for requests with a key. */
async function startWithPost(data = freshFolder()) {
  const key = (await runPlaten([...SET_UP, "--data", data])).stdout.trim();
  const server = await startServer({ data });
  const ask = (method: string, path: string, body?: BodyInit) =>
    fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      body,
      redirect: "manual",
    });
  const create = (title: string) =>
    ask(
      "POST",
      "/api/v1/posts",
      JSON.stringify({ post: { title, status: "published", content: "*Tea*", content_type: "markdown" } }),
    );
  const file = await picture(20, 20, "png");
  const upload = () => ask("POST", "/api/v1/attachments", uploadForm(file, "a.png"));
  return { server, ask, create, upload };
}

const setLimit = (pid: number, files: number) =>
  Bun.spawnSync(["prlimit", "--pid", String(pid), `--nofile=${files}:1024`]);

test.skipIf(!Bun.which("prlimit"))(
  "without free file descriptors, requests get an error with Retry-After and the server lives on",
  async () => {
    const { server, ask, create, upload } = await startWithPost();
    await using _ = server;
    // From source, modules are files that are opened on first use.
    const warm = JSON.stringify({ post: { title: "Warm", content: "<p>Tea</p>" } });
    expect((await ask("POST", "/api/v1/posts", warm)).status).toBe(201);
    expect((await ask("POST", "/api/v1/attachments", uploadForm(new Uint8Array(9), "a.png"))).status).toBe(
      422,
    );
    expect((await ask("GET", "/")).status).toBe(200);
    const open = readdirSync(`/proc/${server.pid}/fd`).length;
    const refusal = {
      message: "The server has too many open files and connections. Try again in a moment.",
    };
    // Enough for a connection, a file and a process, but not for a thread.
    for (const more of [1, 2, 3]) {
      setLimit(server.pid, open + more);
      const refused = await create("One");
      expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
        503,
        "5",
        refusal,
      ]);
      const uploaded = await upload();
      if (uploaded.status !== 201) expect([uploaded.status, await uploaded.json()]).toEqual([503, refusal]);
    }
    for (const path of ["/", "/livez", "/api/v1/posts"]) expect((await ask("GET", path)).status).toBe(200);
    setLimit(server.pid, 1024);
    expect([(await create("One")).status, (await upload()).status]).toEqual([201, 201]);
    expect(await (await ask("GET", "/api/v1/posts")).json()).toMatchObject({
      pagination: { total: 1 },
    });
    expect(server.stderr()).not.toContain("initialization");
    expect(await server.stop()).toBe(0);
    expect(readdirSync(join(server.data, "media/.incoming"))).toEqual([]);
  },
);

test.skipIf(!canMount(fragileDisk))(
  "on a read-only disk, pages are served and writes get 503 with a message",
  async () => {
    const disk = fragileDisk();
    const { server, ask, create, upload } = await startWithPost(join(disk, "data"));
    await using _ = server;
    expect((await create("One")).status).toBe(201);
    const source = Bun.spawnSync(["findmnt", "-n", "-o", "SOURCE", disk]).stdout.toString();
    writeFileSync(`/sys/fs/ext4/${source.trim().replace("/dev/", "")}/trigger_fs_error`, "closed");
    for (const write of [
      () => create("Two"),
      () => ask("DELETE", "/api/v1/posts/1"),
      () => ask("POST", "/micropub", new URLSearchParams({ h: "entry", content: "Tea" })),
      upload,
    ]) {
      const refused = await write();
      expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining("read-only")]);
    }
    expect((await fetch(`${server.url}/one`)).status).toBe(200);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, NOT_WRITTEN]);
    const failed = "POST /api/v1/posts failed: ";
    await until(() => server.stderr().includes(failed), "the fault in the log", server.stderr);
  },
);

const NOT_WRITTEN = "Nothing can be written: the disk is broken or read-only; run: platen doctor\n";

test("the server is not ready from a failed write until a successful one, and says why", async () => {
  const { platen, api, fetch } = startPlaten();
  const readiness = async () => {
    const answer = await fetch("/readyz");
    return [answer.status, await answer.text()];
  };
  const write = async () => (await api("POST", "/posts", { post: { title: "One" } })).status;
  // SQLite reports this on a read-only disk.
  platen.db.$client.run("PRAGMA query_only = ON");
  expect(await readiness()).toEqual([200, "ready\n"]);
  expect(await write()).toBe(503);
  for (let attempt = 0; attempt < 2; attempt++) expect(await readiness()).toEqual([503, NOT_WRITTEN]);
  platen.db.$client.run("PRAGMA query_only = OFF");
  expect(await readiness()).toEqual([200, "ready\n"]);
  expect(await write()).toBe(201);
});

test("while the folder is missing, no write is acknowledged", async () => {
  const { platen, api, fetch, key } = startPlaten();
  rmSync(platen.config.data, { recursive: true });
  const refused = [503, { message: expect.stringContaining("folder is missing") }];
  const { status, body } = await api("POST", "/posts", { post: { title: "One" } });
  expect([status, body]).toEqual(refused);
  const upload = await fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: uploadForm(await picture(20, 20, "png"), "a.png"),
  });
  expect([upload.status, await upload.json()]).toEqual(refused);
});
